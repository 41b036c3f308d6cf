//! A PDF document, read on a thread of its own: a broken one may panic, go deep, or not end.

use std::fmt;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use helve::prelude::*;
use helve::tool::Interrupted;
use pdf_extract::{ConvertToFmt, Document, OutputError, PlainTextOutput, output_doc_page};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::MOST;

/// How long a document may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// How many documents are read at once, those included that nobody waits for any more.
const AT_ONCE: usize = 2;

/// The stack of a reader: objects of a document are nested, and read by recursion.
const STACK: usize = 256 << 20;

/// What was read of a document.
struct Extracted {
    text: String,
    /// The last page that is in the text; none where not even the first fits.
    last: Option<u32>,
    total: u32,
    first: u32,
    /// Pages that could not be read.
    broken: Vec<u32>,
    cut: bool,
}

/// Why nothing was read.
enum Unreadable {
    Encrypted,
    Broken(String),
    NoSuchPage(u32),
    /// So many were asked for.
    TooMany(u32),
}

pub(super) async fn extract(
    cx: &ToolContext,
    path: &str,
    bytes: Vec<u8>,
    wanted: Option<RangeInclusive<u32>>,
    budget: usize,
) -> Result<ToolOutput, ToolError> {
    let slow = || {
        let seconds = PATIENCE.as_secs();
        ToolError::failed(format!(
            "`{path}` was not read within {seconds} s; ask for fewer pages, or use a command that reads PDF documents"
        ))
    };
    let reading = async {
        let permit = slots().clone().acquire_owned().await.ok();
        let stop = Stop(Arc::default());
        let (send, receive) = oneshot::channel();
        let flag = Arc::clone(&stop.0);
        let work = move || {
            let _permit: Option<OwnedSemaphorePermit> = permit;
            let read = || pages(&bytes, wanted, budget, &flag);
            let read = catch_unwind(AssertUnwindSafe(read));
            let broken = || Err(Unreadable::Broken("its reader gave up on it".to_owned()));
            let _ = send.send(read.unwrap_or_else(|_| broken()));
        };
        thread::Builder::new()
            .name("pdf".to_owned())
            .stack_size(STACK)
            .spawn(work)?;
        let read = receive.await.map_err(std::io::Error::other);
        drop(stop);
        read
    };
    let read = tokio::select! {
        read = tokio::time::timeout(PATIENCE, reading) => read,
        () = cx.cancellation().cancelled() => return Err(ToolError::Cancelled(Interrupted::cancelled(false))),
    };
    let read = read.map_err(|_| slow())??;
    match read {
        Ok(extracted) => Ok(extracted.output(path)),
        Err(why) => Err(why.error(path)),
    }
}

/// Tells the reader to stop once nobody waits for it.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn slots() -> &'static Arc<Semaphore> {
    static SLOTS: std::sync::OnceLock<Arc<Semaphore>> = std::sync::OnceLock::new();
    SLOTS.get_or_init(|| Arc::new(Semaphore::new(AT_ONCE)))
}

fn pages(
    bytes: &[u8],
    wanted: Option<RangeInclusive<u32>>,
    budget: usize,
    stop: &AtomicBool,
) -> Result<Extracted, Unreadable> {
    let mut document =
        Document::load_mem(bytes).map_err(|error| Unreadable::Broken(error.to_string()))?;
    // Many documents are encrypted with no password at all, so that they cannot be changed.
    let wants_password = document.trailer.get(b"Encrypt").is_ok();
    if document.is_encrypted() && document.decrypt("").is_err() {
        return Err(Unreadable::Encrypted);
    }
    let total = u32::try_from(document.get_pages().len()).unwrap_or(u32::MAX);
    if total == 0 && wants_password {
        return Err(Unreadable::Encrypted);
    }
    if total == 0 {
        return Err(Unreadable::Broken("it has no pages".to_owned()));
    }
    let wanted = wanted.unwrap_or(1..=MOST.min(total));
    let (first, last) = (*wanted.start(), total.min(*wanted.end()));
    if first > total {
        return Err(Unreadable::NoSuchPage(total));
    }
    let named = last - first + 1;
    if named > MOST {
        return Err(Unreadable::TooMany(named));
    }
    let mut read = Extracted {
        text: String::new(),
        last: None,
        total,
        first,
        broken: Vec::new(),
        cut: false,
    };
    for page in first..=last {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let room = budget.saturating_sub(read.text.chars().count());
        read.add(&document, page, room, stop);
        if read.cut {
            break;
        }
    }
    Ok(read)
}

impl Extracted {
    fn add(&mut self, document: &Document, page: u32, room: usize, stop: &AtomicBool) {
        let mut text = Bounded {
            text: String::new(),
            room: room.saturating_mul(4),
            stop,
        };
        let mut output = PlainTextOutput::new(&mut text);
        // One page whose font makes the reader give up does not take the others with it.
        let written = catch_unwind(AssertUnwindSafe(|| {
            output_doc_page(document, &mut output, page)
        }));
        let is_full = text.room == 0;
        match written {
            Ok(Ok(())) => {}
            Ok(Err(OutputError::FormatError(_))) if is_full => {}
            _ => self.broken.push(page),
        }
        let shown = format!("--- page {page} ---\n{}\n", text.text.trim());
        let fits = shown.chars().count() <= room;
        self.cut = !fits || is_full;
        if fits || self.last.is_none() {
            self.text.extend(shown.chars().take(room));
            self.last = Some(page);
        }
    }

    fn output(self, path: &str) -> ToolOutput {
        let Self {
            text,
            last,
            total,
            first,
            broken,
            cut,
        } = self;
        let last = last.unwrap_or(first);
        let mut output = ToolOutput::plain(text);
        if cut {
            output = output.with_note("[the text is cut; ask for fewer pages]");
        }
        if last < total {
            let (next, end) = (last + 1, total.min(last + MOST));
            output = output.with_note(format!(
                "[pages {first} to {last} of {total}; go on with pages=\"{next}-{end}\"]"
            ));
        } else if first > 1 {
            output = output.with_note(format!("[pages {first} to {last} of {total}]"));
        }
        if !broken.is_empty() {
            let broken: Vec<String> = broken.iter().map(u32::to_string).collect();
            output = output.with_note(format!(
                "[not or not wholly readable in `{path}`: page {}]",
                broken.join(", ")
            ));
        }
        output
    }
}

impl Unreadable {
    fn error(self, path: &str) -> ToolError {
        ToolError::failed(match self {
            Self::Encrypted => format!(
                "`{path}` is a PDF document that is encrypted with a password; ask the user for a copy without one"
            ),
            Self::Broken(why) => {
                format!("`{path}` is a PDF document that cannot be read: {why}")
            }
            Self::TooMany(named) => format!(
                "`pages` names {named} pages, and at most {MOST} are read at once; read the rest with another call"
            ),
            Self::NoSuchPage(total) => {
                format!("`{path}` has {total} pages; give `pages` from 1 to {total}")
            }
        })
    }
}

/// Text that takes no more when it is full, or when nobody waits for it.
struct Bounded<'a> {
    text: String,
    room: usize,
    stop: &'a AtomicBool,
}

impl fmt::Write for Bounded<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.stop.load(Ordering::Relaxed) {
            return Err(fmt::Error);
        }
        match self.room.checked_sub(text.len()) {
            Some(room) => {
                self.room = room;
                self.text.push_str(text);
                Ok(())
            }
            None => {
                self.room = 0;
                Err(fmt::Error)
            }
        }
    }
}

impl ConvertToFmt for &mut Bounded<'_> {
    type Writer = Self;

    fn convert(self) -> Self {
        self
    }
}
