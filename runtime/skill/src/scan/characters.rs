//! Text that cannot be seen: characters that show nothing, and white space that pushes text away.

use super::finding::{ScanFinding, Severity};
use super::{MAX_BYTES, MAX_FINDINGS_PER_RULE};
use helve_core::support::text::first_bytes;
use helve_untrusted::strip_invisible;

/// So many spaces in one line, with text behind them, are no layout.
const PADDING_SPACES: usize = 100;

/// So many empty lines, with text behind them, are none either.
const PADDING_LINES: usize = 60;

pub(super) fn scan(path: &str, text: &str) -> Vec<ScanFinding> {
    let text = first_bytes(text, MAX_BYTES);
    // A byte order mark is a habit of editors.
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

/// Returns whether text stands behind a run of white space that no window is wide enough for.
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

/// Letters that look like a space.
fn is_blank_letter(c: char) -> bool {
    matches!(c, '\u{2800}' | '\u{3164}' | '\u{ffa0}')
}

/// Returns how bad the worst character is that a line hides.
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

/// Returns whether a character has no use in a skill but to hide: letters that show nothing, changes of direction, and
/// what moves a terminal's cursor.
fn is_for_hiding(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}' | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' | '\u{8}' | '\u{1b}' | '\u{9b}')
}
