//! The worker's job: extracts the text of a PDF document.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use helve::worker::JobContext;
use pdf_extract::{ConvertToFmt, Document, OutputError, PlainTextOutput, output_doc_page};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::MAX_PAGES;

helve::worker_job! {
    /// The job that writes the text of pages.
    pub(super) static EXTRACT: "helve/pdf_text" = run;
}

/// The request to the worker.
#[derive(Serialize, Deserialize)]
pub(super) struct ExtractRequest {
    /// The first and the last page.
    pub(super) pages: Option<(u32, u32)>,
    /// The greatest number of characters.
    pub(super) budget: usize,
}

#[derive(Serialize, Deserialize)]
pub(super) enum ExtractResponse {
    Read(ExtractedPages),
    Unreadable(ExtractError),
}

/// The result of an extraction, without the text, which is written to the output.
#[derive(Serialize, Deserialize)]
pub(super) struct ExtractedPages {
    /// The last page in the text; `None` if not even the first one fits.
    pub(super) last: Option<u32>,
    pub(super) total: u32,
    pub(super) first: u32,
    /// The pages that could not be parsed.
    pub(super) broken: Vec<u32>,
    pub(super) cut: bool,
}

/// The reason why nothing was extracted.
#[derive(Serialize, Deserialize)]
pub(super) enum ExtractError {
    Encrypted,
    Broken(String),
    NoSuchPage(u32),
    /// The range contains this number of pages, which exceeds the limit.
    TooMany(u32),
}

fn run(port: &mut JobContext, wanted: Value) -> Result<Value, String> {
    let wanted: ExtractRequest =
        serde_json::from_value(wanted).map_err(|error| error.to_string())?;
    let bytes = port.take_data();
    let read = catch_unwind(AssertUnwindSafe(|| extract(&bytes, &wanted)));
    let broken = || Err(ExtractError::Broken("its reader gave up on it".to_owned()));
    let answer = match read.unwrap_or_else(|_| broken()) {
        Ok(Extraction { text, pages }) => {
            port.write(text.as_bytes())
                .map_err(|error| error.to_string())?;
            ExtractResponse::Read(pages)
        }
        Err(why) => ExtractResponse::Unreadable(why),
    };
    serde_json::to_value(answer).map_err(|error| error.to_string())
}

struct Extraction {
    text: String,
    pages: ExtractedPages,
}

fn extract(bytes: &[u8], wanted: &ExtractRequest) -> Result<Extraction, ExtractError> {
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
    let (first, last) = wanted.pages.unwrap_or((1, MAX_PAGES));
    let last = total.min(last);
    if first > total {
        return Err(ExtractError::NoSuchPage(total));
    }
    let named = last - first + 1;
    if named > MAX_PAGES {
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
