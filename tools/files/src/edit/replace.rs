//! Replaces a text in memory.

use std::fmt::Write as _;

use helve::ToolError;

use super::mismatch;
use crate::name;
use crate::text::NormalizedText;

/// The greatest number of places that an error lists.
const MAX_LISTED: usize = 10;

/// The greatest number of characters of a line that an error shows.
const MAX_LINE_CHARS: usize = 160;

/// The result of a replacement.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Replacement {
    /// The new text, with the number of replaced places.
    Changed { text: String, places: usize },
    /// The text already contains the change, at this line.
    AlreadyApplied { line: usize },
}

/// Rejects arguments that are invalid for every file.
pub(super) fn check(old: &str, new: &str) -> Result<(), ToolError> {
    if old.is_empty() {
        return Err(ToolError::failed(
            "`old_string` is empty; give the text to replace, or write a new file with `write_file`",
        ));
    }
    if old == new {
        return Err(ToolError::failed(
            "`old_string` and `new_string` are identical, so nothing would change; give the text as it should become",
        ));
    }
    Ok(())
}

/// Replaces all occurrences of a text, or the only one.
pub(super) fn replace(
    raw: &str,
    old: &str,
    new: &str,
    all: bool,
    path: &str,
) -> Result<Replacement, ToolError> {
    let file = NormalizedText::new(raw);
    let old = old.replace("\r\n", "\n");
    let found = file.text.match_indices(&*old);
    let places: Vec<_> = found.map(|(at, _)| (at..at + old.len(), new)).collect();
    match places.len() {
        0 => missing(&file.text, &old, new, path),
        found if found == 1 || all => Ok(changed_replacement(raw, file.replace(&places), found)),
        _ => {
            let starts: Vec<usize> = places.iter().map(|(place, _)| place.start).collect();
            Err(ambiguous(&file.text, &starts, path))
        }
    }
}

fn changed_replacement(raw: &str, text: String, places: usize) -> Replacement {
    // Only the line breaks differed, and those are kept.
    match text == raw {
        true => Replacement::AlreadyApplied { line: 1 },
        false => Replacement::Changed { text, places },
    }
}

fn missing(text: &str, old: &str, new: &str, path: &str) -> Result<Replacement, ToolError> {
    let new = new.replace("\r\n", "\n");
    if !new.trim().is_empty()
        && let Some(at) = text.find(&*new)
    {
        return Ok(Replacement::AlreadyApplied {
            line: line_number(text, at),
        });
    }
    Err(ToolError::failed(
        match mismatch::explain(text, old, path) {
            Some(explained) => explained,
            None => format!(
                "`old_string` is not in `{path}`; read the file again and copy the text exactly"
            ),
        },
    ))
}

fn ambiguous(text: &str, starts: &[usize], path: &str) -> ToolError {
    let lines: Vec<usize> = starts.iter().map(|at| line_number(text, *at)).collect();
    let listed: Vec<String> = lines
        .iter()
        .take(MAX_LISTED)
        .map(usize::to_string)
        .collect();
    let more = if lines.len() > MAX_LISTED {
        ", …"
    } else {
        ""
    };
    let mut message = format!(
        "`old_string` is in `{path}` in {} places (lines {}{more}); add lines around the one that is meant, or set \
         `replace_all` to change all\n",
        lines.len(),
        listed.join(", "),
    );
    for (at, line) in starts.iter().zip(&lines).take(MAX_LISTED) {
        let start = text[..*at].rfind('\n').map_or(0, |end| end + 1);
        let shown = text[start..].lines().next().unwrap_or_default();
        let total = shown.chars().count() as u64;
        let _ = write!(
            message,
            "\n  line {line}: {}",
            name::truncate(shown, MAX_LINE_CHARS, total)
        );
    }
    ToolError::failed(message)
}

fn line_number(text: &str, at: usize) -> usize {
    text.as_bytes()[..at]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
        + 1
}

#[cfg(test)]
mod tests {
    use super::{Replacement, replace};

    fn changed_replacement(raw: &str, old: &str, new: &str) -> String {
        match replace(raw, old, new, false, "a").unwrap() {
            Replacement::Changed { text, .. } => text,
            already => panic!("{already:?}"),
        }
    }

    #[test]
    fn breaks_of_the_file_stay() {
        assert_eq!(
            changed_replacement("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz"),
            "x\r\ny\r\nz\r\nc\r\n"
        );
        assert_eq!(changed_replacement("a\nb\n", "a\r\nb", "b\r\na"), "b\na\n");
        assert_eq!(
            changed_replacement("a\r\nb\nc", "c", "c\nd"),
            "a\r\nb\nc\nd"
        );
    }

    #[test]
    fn what_is_there_already_is_found() {
        let already = replace("x\nnew\n", "old", "new", false, "a").unwrap();
        assert_eq!(already, Replacement::AlreadyApplied { line: 2 });
        assert!(replace("x\n", "old", "", false, "a").is_err());
        assert!(replace("x\n \n", "old", "\n", false, "a").is_err());
    }
}
