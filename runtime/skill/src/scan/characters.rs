//! Rules about hidden text: invisible characters, and white space that moves text out of view.

use super::finding::{ScanFinding, Severity};
use super::{MAX_BYTES, MAX_FINDINGS_PER_RULE};
use helve_core::support::text::first_bytes;
use helve_untrusted::strip_invisible;

/// The number of spaces before text on a line from which on the line is suspicious.
const PADDING_SPACES: usize = 100;

/// The number of empty lines before text from which on the text is suspicious.
const PADDING_LINES: usize = 60;

pub(super) fn scan(path: &str, text: &str) -> Vec<ScanFinding> {
    let text = first_bytes(text, MAX_BYTES);
    // Many editors write a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut findings = Vec::new();
    let mut empty = 0;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if line.trim().is_empty() {
            empty += 1;
            continue;
        }
        if empty >= PADDING_LINES || is_padded(line) {
            findings.push(ScanFinding::padding(path, number, line.trim()));
        }
        empty = 0;
        if let Some(severity) = hidden_character_severity(line) {
            findings.push(ScanFinding::hidden(severity, path, number, line));
        }
        if findings.len() >= 2 * MAX_FINDINGS_PER_RULE {
            break;
        }
    }
    findings
}

/// Returns whether text follows a run of white space that is wider than any window.
fn is_padded(line: &str) -> bool {
    if line.len() <= PADDING_SPACES {
        return false;
    }
    let mut run = 0;
    line.chars().any(|c| {
        if c.is_whitespace() || is_blank_letter(c) {
            run += if c == '\t' { 8 } else { 1 };
            return false;
        }
        let padded = run >= PADDING_SPACES;
        run = 0;
        padded
    })
}

/// Returns whether a letter looks like a space.
fn is_blank_letter(c: char) -> bool {
    matches!(c, '\u{2800}' | '\u{3164}' | '\u{ffa0}')
}

/// Returns the severity of the worst hidden character of a line.
fn hidden_character_severity(line: &str) -> Option<Severity> {
    let is_shown = |byte: u8| byte == b'\t' || byte.is_ascii() && !byte.is_ascii_control();
    if line.bytes().all(is_shown) {
        return None;
    }
    let worst = line.chars().any(is_for_hiding);
    let any = strip_invisible(line).len() != line.len();
    match (worst, any) {
        (true, _) => Some(Severity::Red),
        (false, true) => Some(Severity::Yellow),
        (false, false) => None,
    }
}

/// Returns whether a character has no legitimate use in a skill: invisible tags and variation selectors,
/// changes of direction, and characters that move a terminal's cursor.
fn is_for_hiding(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}' | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' | '\u{8}' | '\u{1b}' | '\u{9b}')
}
