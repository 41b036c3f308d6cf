//! `read_file`: returns a window of lines, an image, or pages of a PDF document.

use std::io::{self, Read};

use helve::prelude::*;
use helve::sandbox::ReadHandle;
use helve::transcript::ContentBlock;

use super::content_kind::{self, ContentKind};
use super::lines::{self, LineWindow, WindowText};
use super::stop_token::{ReadFailure, StopSource, StoppableReader};
use super::text::{Encoding, Utf16Reader};
use super::{image, name, pdf, permission};

/// Reads a text file with line numbers, the text of a PDF document, or shows an image (PNG, JPEG, GIF, WebP).
///
/// Returns at most 2,000 lines from `offset` on, each cut at 2,000 characters, and says how to go on when there are
/// more. The number and the tab before each line are not part of the file. Use `grep` first to find the place in a
/// large file.
#[tool(
    always,
    read_only,
    title = "Read file",
    requires(fs),
    check = permission::check_read,
    match_rule = permission::match_read,
    suggest_rules = permission::suggest_read
)]
pub async fn read_file(
    /// Path of the file, relative to the working folder or absolute.
    #[arg(example = "src/main.rs")]
    path: &str,
    /// First line to return, from 1.
    #[arg(default = 1, min = 1)]
    offset: u64,
    /// Most lines to return.
    #[arg(default = 2000, min = 1, max = 2000)]
    limit: u64,
    /// Pages of a PDF document to return, such as "3" or "1-5"; at most 20.
    pages: Option<&str>,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let path = name::resolve_path(cx, path);
    let wanted = pages.map(pdf::parse).transpose()?;
    let fs = cx.fs()?;
    let place = fs.resolve(&path).await?.absolute;
    let handle = fs.open(&path).await?;
    let metadata = handle.metadata().clone();
    let window = LineWindow {
        offset,
        limit,
        budget: cx.result_budget(),
    };
    let file = FileDescription {
        path: name::display_path(&path),
        size: handle.metadata().len,
    };
    let budget = window.budget;
    let watch = StopSource::new(cx);
    let mut reader = watch.reader(handle);
    let work = move || {
        let read = read(&mut reader, window);
        match read {
            Ok(content) => Ok((file, content)),
            Err(error) => Err(file.unreadable(reader, &error)),
        }
    };
    let result = tokio::task::spawn_blocking(work).await;
    watch.check()?;
    drop(watch);
    let (file, content) = result??;
    let output = match content {
        Content::Document(bytes) => pdf::read(cx, &file.path, bytes, wanted, budget).await?,
        _ if wanted.is_some() => {
            let path = &file.path;
            return Err(ToolError::failed(format!(
                "`{path}` is no PDF document, so it has no pages; give `offset` and `limit` instead of `pages`"
            )));
        }
        content => file.output(content, offset)?,
    };
    cx.files_seen().record(place, &metadata);
    Ok(output)
}

/// The contents of a file.
enum Content {
    Lines(WindowText),
    Image(Option<ContentBlock>),
    /// The bytes of a PDF document; `None` if it is too large.
    Document(Option<Vec<u8>>),
    Binary(&'static str),
}

fn read(mut reader: impl Read, window: LineWindow) -> io::Result<Content> {
    let mut head = Vec::new();
    reader
        .by_ref()
        .take(content_kind::HEAD as u64)
        .read_to_end(&mut head)?;
    let kind = content_kind::detect(&head);
    let encoding = Encoding::from_bom(&head).filter(|encoding| encoding.is_utf16());
    let whole = io::Cursor::new(head).chain(reader);
    Ok(match kind {
        ContentKind::Text => Content::Lines(match encoding {
            Some(encoding) => lines::read(Utf16Reader::new(whole, encoding), window)?,
            None => lines::read(whole, window)?,
        }),
        ContentKind::Pdf => Content::Document(pdf::load(whole)?),
        ContentKind::Image(media_type) => Content::Image(image::read(whole, media_type)?),
        ContentKind::Binary(words) => Content::Binary(words),
    })
}

/// The description of a file for errors.
struct FileDescription {
    path: String,
    size: u64,
}

impl FileDescription {
    fn output(&self, content: Content, offset: u64) -> ToolResult {
        let path = &self.path;
        match content {
            Content::Lines(shown) => self.text(shown, offset),
            Content::Image(Some(image)) => Ok(ToolOutput::blocks(vec![image])),
            Content::Document(_) => Err(ToolError::failed(format!("`{path}` is a PDF document"))),
            Content::Image(None) => Err(ToolError::failed(format!(
                "`{path}` is an image of {}, and at most {} can be shown; make it smaller, or use another one",
                name::size(self.size),
                name::size(image::MAX_IMAGE_BYTES as u64),
            ))),
            Content::Binary(words) => Err(ToolError::failed(format!(
                "`{path}` is {words} ({}); only text, PDF documents and images (PNG, JPEG, GIF, WebP) can be read",
                name::size(self.size),
            ))),
        }
    }

    fn text(&self, shown: WindowText, offset: u64) -> ToolResult {
        let path = &self.path;
        let WindowText { lines, total, .. } = shown;
        if total == 0 {
            return Ok(ToolOutput::plain(format!("(`{path}` is empty)")));
        }
        if lines == 0 {
            return Err(ToolError::failed(format!(
                "`{path}` has only {total} lines; use an `offset` from 1 to {total}"
            )));
        }
        let mut output = ToolOutput::plain(shown.text);
        let last = offset + lines - 1;
        if !shown.counted_all {
            let size = name::size(self.size);
            output = output.with_note(format!(
                "[lines {offset} to {last} of more than {total} ({size}); continue with offset={}]",
                last + 1
            ));
        } else if last < total {
            output = output.with_note(format!(
                "[lines {offset} to {last} of {total}; continue with offset={}]",
                last + 1
            ));
        } else if offset > 1 {
            output = output.with_note(format!("[lines {offset} to {last} of {total}]"));
        }
        if shown.is_lossy {
            output = output.with_note(
                "[some lines are not UTF-8 and are shown as Latin-1, or with \u{fffd} for bytes that are not text]",
            );
        }
        Ok(output)
    }

    fn unreadable(&self, reader: StoppableReader<ReadHandle>, error: &io::Error) -> ToolError {
        let path = &self.path;
        ToolError::failed(match reader.into_failure() {
            Some(ReadFailure::Stopped) => {
                format!(
                    "reading `{path}` was stopped; give a smaller `offset`, or search it with `grep`"
                )
            }
            Some(ReadFailure::Failed(reason)) => format!("`{path}` cannot be read: {reason}"),
            None => format!("`{path}` cannot be read: {error}"),
        })
    }
}
