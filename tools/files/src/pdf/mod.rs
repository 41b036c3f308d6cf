//! Reads the text of PDF pages.

use std::io::{self, Read};
use std::ops::RangeInclusive;

use helve::prelude::*;

/// The greatest size of a document, in bytes.
const MAX_DOCUMENT_BYTES: usize = 20 << 20;

/// The greatest number of pages per call.
#[cfg(feature = "pdf")]
pub(crate) const MAX_PAGES: u32 = 20;

/// Parses a page range: `3`, or `1-5`. The range may end after the last page.
pub(super) fn parse(pages: &str) -> Result<RangeInclusive<u32>, ToolError> {
    let (first, last) = pages.split_once('-').unwrap_or((pages, pages));
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|page| *page > 0);
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err(ToolError::failed(format!(
            "`pages` is \"{pages}\"; write a page from 1 on, such as \"3\", or a range, such as \"1-5\""
        ))),
    }
}

/// Reads a whole document; returns `None` if it has more than [`MAX_DOCUMENT_BYTES`] bytes.
pub(super) fn load(reader: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader
        .take(MAX_DOCUMENT_BYTES as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok((bytes.len() <= MAX_DOCUMENT_BYTES).then_some(bytes))
}

/// Returns the text of pages, with at most `budget` characters.
pub(super) async fn read(
    cx: &ToolContext,
    path: &str,
    bytes: Option<Vec<u8>>,
    wanted: Option<RangeInclusive<u32>>,
    budget: usize,
) -> Result<ToolOutput, ToolError> {
    let Some(bytes) = bytes else {
        let most = super::name::size(MAX_DOCUMENT_BYTES as u64);
        return Err(ToolError::failed(format!(
            "`{path}` is a PDF document of more than {most}, which is too large to be read here"
        )));
    };
    extract(cx, path, bytes, wanted, budget).await
}

#[cfg(not(feature = "pdf"))]
#[expect(clippy::unused_async, reason = "it waits where documents can be read")]
async fn extract(
    _: &ToolContext,
    path: &str,
    _: Vec<u8>,
    _: Option<RangeInclusive<u32>>,
    _: usize,
) -> Result<ToolOutput, ToolError> {
    Err(ToolError::NotAvailable(format!(
        "`{path}` is a PDF document, and this program was built without reading those (feature `pdf`)"
    )))
}

#[cfg(feature = "pdf")]
use self::document::extract;
#[cfg(all(feature = "documents", feature = "pdf"))]
pub(crate) use self::document::{DocumentPages, extract_pages};

#[cfg(feature = "pdf")]
mod document;
#[cfg(feature = "pdf")]
mod job;

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn ranges_of_pages() {
        assert_eq!(parse("3").unwrap(), 3..=3);
        assert_eq!(parse("1 - 20").unwrap(), 1..=20);
        // The number of pages is only known after the document was parsed.
        assert_eq!(parse("4-99").unwrap(), 4..=99);
        for wrong in ["", "0", "-3", "5-1", "a", "1-4294967296", "1,2"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
