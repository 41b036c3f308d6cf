//! Reads the passages of a file.

use std::path::Path;

use helve::prelude::*;
use helve::sandbox::Metadata;

use super::passages::{Passage, TextForm, split};
use crate::content_kind::{self, ContentKind};
use crate::stop_token::StopSource;
use crate::text::DecodedText;

/// The greatest size of a text, in bytes.
const MAX_TEXT_BYTES: usize = 2 << 20;

/// The greatest size of a PDF document, in bytes.
const MAX_PDF_BYTES: usize = 20 << 20;

/// The files whose text is Markdown.
const MARKDOWN: [&str; 5] = ["md", "markdown", "mdx", "mdown", "qmd"];

/// Files that hold what programs wrote for programs.
const GENERATED: [&str; 9] = [
    "Cargo.lock",
    "composer.lock",
    "Gemfile.lock",
    "go.sum",
    "package-lock.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "yarn.lock",
];

/// A passage of a file.
#[derive(Debug, Clone)]
pub(crate) struct FilePassage {
    pub(crate) passage: Passage,
    /// The page of a PDF document, whose lines are those of the page.
    pub(crate) page: Option<u32>,
}

/// What a file holds.
pub(crate) enum DocumentContent {
    Passages(Vec<FilePassage>),
    /// The file is not indexed while it is as it is, for this reason.
    Skipped(String),
    /// The file cannot be read now, for this reason.
    Unreadable(String),
    /// The time of the call was over before the end of the file.
    #[cfg_attr(
        not(feature = "pdf"),
        expect(dead_code, reason = "only the pages of a PDF are read in parts")
    )]
    Cut,
}

/// Returns what identifies a file and its contents: the version, which differs for another file at the same path, or else the size
/// and the time.
pub(crate) fn stamp(metadata: &Metadata) -> String {
    if let Some(version) = &metadata.version {
        // A reason may follow after a space.
        return format!("2 {}", version.as_str().replace(' ', "_"));
    }
    let modified = metadata
        .modified
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let modified = modified.unwrap_or_default().as_nanos();
    format!("1 {} {modified}", metadata.len)
}

/// Reports whether a file is passed over by its name.
pub(crate) fn is_generated(name: &Path) -> bool {
    let name = name
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    GENERATED.contains(&name)
        || name.ends_with(".min.js")
        || name.ends_with(".min.css")
        || name.ends_with(".map")
}

/// Reads a file.
pub(crate) async fn read(
    cx: &ToolContext,
    path: &Path,
    watch: &StopSource,
) -> Result<DocumentContent, ToolError> {
    let fs = cx.fs()?;
    let handle = match fs.open(path).await {
        Ok(handle) => handle,
        Err(error) => return Ok(DocumentContent::Unreadable(error.to_string())),
    };
    let is_markdown = path.extension().and_then(|ending| ending.to_str());
    let is_markdown =
        is_markdown.is_some_and(|ending| MARKDOWN.contains(&&*ending.to_ascii_lowercase()));
    let form = if is_markdown {
        TextForm::Markdown
    } else {
        TextForm::Plain
    };
    let loaded = tokio::task::spawn_blocking(move || load(handle, form)).await?;
    match loaded.map_err(ToolError::from)? {
        LoadedFile::Content(content) => Ok(content),
        LoadedFile::Pdf(bytes) => read_pdf(cx, path, bytes, watch).await,
    }
}

enum LoadedFile {
    Content(DocumentContent),
    Pdf(Vec<u8>),
}

fn load(handle: impl std::io::Read, form: TextForm) -> std::io::Result<LoadedFile> {
    use std::io::Read as _;

    let mut bytes = Vec::new();
    let mut handle = handle.take(MAX_PDF_BYTES as u64 + 1);
    handle
        .by_ref()
        .take(content_kind::HEAD as u64)
        .read_to_end(&mut bytes)?;
    let skipped = |reason: &str| {
        Ok(LoadedFile::Content(DocumentContent::Skipped(
            reason.to_owned(),
        )))
    };
    let most = match content_kind::detect(&bytes) {
        ContentKind::Text => MAX_TEXT_BYTES,
        ContentKind::Pdf => MAX_PDF_BYTES,
        ContentKind::Image(_) => return skipped("an image"),
        ContentKind::Binary(words) => return skipped(words),
    };
    handle.read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return skipped("too large");
    }
    if most == MAX_PDF_BYTES {
        return Ok(LoadedFile::Pdf(bytes));
    }
    let text = match DecodedText::decode(&bytes) {
        Ok(decoded) => decoded.text,
        Err(what) => return skipped(what),
    };
    let passages = split(&text, form).into_iter();
    let passages = passages.map(|passage| FilePassage {
        passage,
        page: None,
    });
    Ok(LoadedFile::Content(DocumentContent::Passages(
        passages.collect(),
    )))
}

#[cfg(not(feature = "pdf"))]
#[expect(clippy::unused_async, reason = "it waits where documents can be read")]
async fn read_pdf(
    _: &ToolContext,
    _: &Path,
    _: Vec<u8>,
    _: &StopSource,
) -> Result<DocumentContent, ToolError> {
    let reason = "a PDF document, which this program was built without reading (feature `pdf`)";
    // Another program may read it.
    Ok(DocumentContent::Unreadable(reason.to_owned()))
}

/// Reads all pages of a PDF document in workers, some pages each.
#[cfg(feature = "pdf")]
async fn read_pdf(
    cx: &ToolContext,
    path: &Path,
    bytes: Vec<u8>,
    watch: &StopSource,
) -> Result<DocumentContent, ToolError> {
    use crate::pdf::{DocumentPages, MAX_PAGES, extract_pages};

    /// The longest text of the pages that are read at once, in characters.
    const BUDGET: usize = 400_000;

    /// The most pages of a document.
    const MAX_ALL_PAGES: u32 = 1_000;

    let name = crate::name::display_path(path);
    let (mut passages, mut first) = (Vec::new(), 1);
    while first <= MAX_ALL_PAGES {
        watch.check()?;
        if watch.is_over() {
            return Ok(DocumentContent::Cut);
        }
        let wanted = first..=first + MAX_PAGES - 1;
        let read = extract_pages(cx, &name, bytes.clone(), Some(wanted), BUDGET).await;
        let DocumentPages { text, pages } = match read {
            Ok(read) => read,
            Err(ToolError::Failed(failure)) => {
                return Ok(DocumentContent::Skipped(failure.to_string()));
            }
            Err(error) => return Err(error),
        };
        add_pages(&text, &mut passages);
        let last = pages.last.unwrap_or(first).max(first);
        if last >= pages.total {
            break;
        }
        first = last + 1;
    }
    Ok(DocumentContent::Passages(passages))
}

/// Splits the text of pages, before each of which there is a line with its number.
#[cfg(any(feature = "pdf", test))]
fn add_pages(text: &str, passages: &mut Vec<FilePassage>) {
    let mut page = None;
    let mut own = String::new();
    let mut finish = |page: Option<u32>, own: &mut String| {
        let split = split(&std::mem::take(own), TextForm::Plain).into_iter();
        passages.extend(split.map(|passage| FilePassage { passage, page }));
    };
    for line in text.lines() {
        let number = line
            .strip_prefix("--- page ")
            .and_then(|rest| rest.strip_suffix(" ---"));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            finish(page, &mut own);
            page = Some(number);
        } else {
            own.push_str(line);
            own.push('\n');
        }
    }
    finish(page, &mut own);
}
