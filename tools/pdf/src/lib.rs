//! The text of PDF documents, for the built-in tools of [helve](https://docs.rs/helve). Depend on `helve`, not on this crate.
//!
//! A document may be made to crash its reader, or to keep it busy: call [`extract`] in a confined worker alone.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::{ConvertToFmt, Document, OutputError, PlainTextOutput, output_doc_page};
use serde::{Deserialize, Serialize};

/// The pages that are wanted of a document.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct PageSelection {
    /// The first and the last page; without them, as many pages as may be read at once.
    pub pages: Option<(u32, u32)>,
    /// The greatest number of pages that are read at once.
    pub max_pages: u32,
    /// The greatest number of characters.
    pub budget: usize,
}

/// The result of an extraction, without the text.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExtractedPages {
    /// The last page in the text; `None` if not even the first one fits.
    pub last: Option<u32>,
    /// The pages of the document.
    pub total: u32,
    /// The first page in the text.
    pub first: u32,
    /// The pages that could not be parsed.
    pub broken: Vec<u32>,
    /// Whether the text is longer than the greatest number of characters.
    pub cut: bool,
}

/// The reason why nothing was extracted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum ExtractError {
    /// The document needs a password.
    Encrypted,
    /// The document cannot be parsed, for this reason.
    Broken(String),
    /// The document has only this number of pages.
    NoSuchPage(u32),
    /// The range has this number of pages, which exceeds the limit.
    TooMany(u32),
}

/// The text of pages.
#[derive(Debug, Clone)]
pub struct Extraction {
    /// The text, with a line `--- page N ---` before each page.
    pub text: String,
    /// Which pages it is of.
    pub pages: ExtractedPages,
}

/// Extracts the text of pages.
///
/// # Errors
/// When the document cannot be read, or lacks the pages. A panic of the parser is an error, too; a stack that overflows ends
/// the process.
pub fn extract(bytes: &[u8], wanted: &PageSelection) -> Result<Extraction, ExtractError> {
    let read = catch_unwind(AssertUnwindSafe(|| read(bytes, wanted)));
    read.unwrap_or_else(|_| Err(ExtractError::Broken("its reader gave up on it".to_owned())))
}

fn read(bytes: &[u8], wanted: &PageSelection) -> Result<Extraction, ExtractError> {
    let mut document =
        Document::load_mem(bytes).map_err(|error| ExtractError::Broken(error.to_string()))?;
    // Many documents are encrypted with an empty password, only to prevent changes.
    let wants_password = document.trailer.get(b"Encrypt").is_ok();
    if document.is_encrypted() && document.decrypt("").is_err() {
        return Err(ExtractError::Encrypted);
    }
    let total = u32::try_from(document.get_pages().len()).unwrap_or(u32::MAX);
    if total == 0 && wants_password {
        return Err(ExtractError::Encrypted);
    }
    if total == 0 {
        return Err(ExtractError::Broken("it has no pages".to_owned()));
    }
    let (first, last) = wanted.pages.unwrap_or((1, wanted.max_pages));
    let last = total.min(last);
    if first > total {
        return Err(ExtractError::NoSuchPage(total));
    }
    let named = last - first + 1;
    if named > wanted.max_pages {
        return Err(ExtractError::TooMany(named));
    }
    let mut read = Extraction {
        text: String::new(),
        pages: ExtractedPages {
            last: None,
            total,
            first,
            broken: Vec::new(),
            cut: false,
        },
    };
    for page in first..=last {
        let room = wanted.budget.saturating_sub(read.text.chars().count());
        read.add(&document, page, room);
        if read.pages.cut {
            break;
        }
    }
    Ok(read)
}

impl Extraction {
    fn add(&mut self, document: &Document, page: u32, room: usize) {
        let mut text = BoundedText {
            text: String::new(),
            remaining: room.saturating_mul(4),
        };
        let mut output = PlainTextOutput::new(&mut text);
        // A page that makes the parser panic must not affect the others.
        let written = catch_unwind(AssertUnwindSafe(|| {
            output_doc_page(document, &mut output, page)
        }));
        let is_full = text.remaining == 0;
        match written {
            Ok(Ok(())) => {}
            Ok(Err(OutputError::FormatError(_))) if is_full => {}
            _ => self.pages.broken.push(page),
        }
        let shown = format!("--- page {page} ---\n{}\n", text.text.trim());
        let fits = shown.chars().count() <= room;
        self.pages.cut = !fits || is_full;
        if fits || self.pages.last.is_none() {
            self.text.extend(shown.chars().take(room));
            self.pages.last = Some(page);
        }
    }
}

/// A text buffer of limited size.
struct BoundedText {
    text: String,
    remaining: usize,
}

impl fmt::Write for BoundedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match self.remaining.checked_sub(text.len()) {
            Some(room) => {
                self.remaining = room;
                self.text.push_str(text);
                Ok(())
            }
            None => {
                self.remaining = 0;
                Err(fmt::Error)
            }
        }
    }
}

impl ConvertToFmt for &mut BoundedText {
    type Writer = Self;

    fn convert(self) -> Self {
        self
    }
}
