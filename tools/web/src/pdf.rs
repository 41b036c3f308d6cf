//! PDF documents.

use crate::page::PageFacts;

/// The greatest number of pages that are read at once.
#[cfg(feature = "pdf")]
const MAX_PAGES: u32 = 100;

/// Returns the text of a document, or of the pages that `selector` names: `3`, or `5-8`.
///
/// # Errors
/// When the document cannot be read, or lacks the pages.
#[cfg(feature = "pdf")]
pub(crate) fn read(bytes: &[u8], selector: Option<&str>) -> Result<(String, PageFacts), String> {
    use crate::page::Extent;
    use helve_pdf::{ExtractError, PageSelection};

    let pages = selector.map(parse).transpose()?;
    let wanted = PageSelection {
        // Of a long document, the first pages are read.
        pages: pages.or(Some((1, MAX_PAGES))),
        max_pages: MAX_PAGES,
        budget: 1 << 20,
    };
    let read = helve_pdf::extract(bytes, &wanted).map_err(|error| match error {
        ExtractError::Encrypted => "the document is encrypted with a password".to_owned(),
        ExtractError::Broken(why) => format!("the document cannot be read: {why}"),
        ExtractError::NoSuchPage(total) => {
            format!("the document has {total} pages; `selector` names pages from 1 to {total}")
        }
        ExtractError::TooMany(named) => {
            format!("`selector` names {named} pages, and at most {MAX_PAGES} are read at once")
        }
    })?;
    let pages = read.pages;
    let last = pages.last.unwrap_or(pages.first);
    let mut facts = PageFacts {
        is_cut: pages.cut,
        ..PageFacts::default()
    };
    let (first, total) = (pages.first, pages.total);
    if selector.is_some() {
        facts.extent = Extent::Selected;
    }
    facts.remarks.push(if (first, last) == (1, total) {
        format!("a document of {total} pages")
    } else {
        format!("pages {first} to {last} of {total}; `selector` names others")
    });
    if !pages.broken.is_empty() {
        let broken: Vec<_> = pages.broken.iter().map(u32::to_string).collect();
        facts
            .remarks
            .push(format!("not fully readable: page {}", broken.join(", ")));
    }
    Ok((read.text, facts))
}

#[cfg(not(feature = "pdf"))]
pub(crate) fn read(_: &[u8], _: Option<&str>) -> Result<(String, PageFacts), String> {
    Err(
        "it is a PDF document, and this program was built without reading those (feature `pdf`)"
            .to_owned(),
    )
}

/// Parses a range of pages.
#[cfg(feature = "pdf")]
fn parse(pages: &str) -> Result<(u32, u32), String> {
    let (first, last) = pages.split_once('-').unwrap_or((pages, pages));
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|page| *page > 0);
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok((first, last)),
        _ => Err(format!(
            "`selector` is \"{pages}\"; for a PDF document it is a page, such as \"3\", or a range, such as \"5-8\""
        )),
    }
}
