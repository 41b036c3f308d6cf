//! Renders a file of a skill for a model.

use super::{Skill, SkillError};
use helve_core::ToolOutput;
use helve_core::support::hex;
use helve_core::support::text::truncate;
use helve_core::tool::{ToolError, ToolResult};

/// The greatest number of characters of a line that are shown.
const MAX_LINE_CHARS: usize = 2_000;

#[derive(Debug, Clone, Copy)]
pub(super) struct LineWindow {
    /// The first line, counted from 1.
    pub(super) offset: u64,
    pub(super) limit: u64,
    /// The greatest number of characters; at least one line is shown.
    pub(super) budget: usize,
}

/// Reads a file of a skill and numbers its lines. A binary file is only described.
pub(super) async fn render_file(skill: &Skill, path: &str, window: LineWindow) -> ToolResult {
    let bytes = skill.read(path).await.map_err(ToolError::from)?;
    let Ok(text) = str::from_utf8(&bytes) else {
        return Ok(ToolOutput::plain(describe_binary(skill, path, &bytes)));
    };
    let total = text.lines().count() as u64;
    if total == 0 {
        return Ok(ToolOutput::plain(format!("(`{path}` is empty)")));
    }
    if window.offset > total {
        return Err(ToolError::from(SkillError::NoSuchLine {
            skill: skill.name().to_owned(),
            path: path.to_owned(),
            line: window.offset,
            total,
        }));
    }
    let (lines, count) = number_lines(text, window);
    let (first, last) = (window.offset, window.offset + count - 1);
    let output = ToolOutput::plain(lines);
    let next = last + 1;
    Ok(if last < total {
        output.with_note(format!(
            "[lines {first} to {last} of {total}; continue with offset={next}]"
        ))
    } else if first > 1 {
        output.with_note(format!("[lines {first} to {last} of {total}]"))
    } else {
        output
    })
}

fn number_lines(text: &str, window: LineWindow) -> (String, u64) {
    let skipped = usize::try_from(window.offset - 1).unwrap_or(usize::MAX);
    let limit = usize::try_from(window.limit).unwrap_or(usize::MAX);
    let mut room = window.budget;
    let (mut lines, mut count) = (String::new(), 0);
    for line in text.lines().skip(skipped).take(limit) {
        let number = window.offset + count;
        let line = format!("{number:6}\t{}\n", truncate_line(line));
        let length = line.chars().count();
        if length > room && count > 0 {
            break;
        }
        room = room.saturating_sub(length);
        lines.push_str(&line);
        count += 1;
    }
    (lines, count)
}

fn truncate_line(line: &str) -> String {
    let total = line.chars().count();
    if total <= MAX_LINE_CHARS {
        return line.to_owned();
    }
    let shown = truncate(line, MAX_LINE_CHARS);
    format!("{shown} [line cut: {MAX_LINE_CHARS} of {total} characters]")
}

/// Describes a binary file.
fn describe_binary(skill: &Skill, path: &str, bytes: &[u8]) -> String {
    let mut text = format!(
        "`{path}` of the skill `{}` is not text: {}, {} bytes",
        skill.name(),
        detect_kind(bytes),
        bytes.len()
    );
    if let Some(file) = skill.file(path) {
        text.push_str(", SHA-256 ");
        text.push_str(&hex::encode(file.sha256));
        if file.executable {
            text.push_str(", executable");
        }
    }
    text + ". A script of the skill can work on it; its bytes cannot be shown."
}

/// Returns the kind of a file by its first bytes.
fn detect_kind(bytes: &[u8]) -> &'static str {
    const KINDS: &[(&[u8], &str)] = &[
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"%PDF-", "a PDF document"),
        (b"PK\x03\x04", "a ZIP archive, or a document that is one"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"\x28\xb5\x2f\xfd", "a zstd archive"),
        (b"\x7fELF", "a program for Linux"),
        (b"MZ", "a program for Windows"),
        (b"\xcf\xfa\xed\xfe", "a program for macOS"),
        (b"SQLite format 3\0", "a SQLite database"),
        (b"\0asm", "a WebAssembly module"),
        (b"\0\x01\0\0", "a font"),
        (b"OTTO", "a font"),
        (b"wOFF", "a font"),
        (b"wOF2", "a font"),
        (b"\xff\xfe", "text in UTF-16"),
        (b"\xfe\xff", "text in UTF-16"),
    ];
    let known = KINDS.iter().find(|(start, _)| bytes.starts_with(start));
    known.map_or("a binary file", |(_, kind)| kind)
}
