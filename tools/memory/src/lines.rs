//! Texts as lines: what is shown of them, and how they are edited.

use helve::ToolError;

/// The width of a line number.
const WIDTH: usize = 6;

/// The lines around a change that are shown with it.
const CONTEXT: usize = 4;

/// Renders lines with their numbers, which begin at 1.
pub(crate) fn number(text: &str, range: Option<(i64, i64)>) -> Result<String, ToolError> {
    let lines: Vec<&str> = text.lines().collect();
    let count = lines.len().max(1);
    let (from, to) = match range {
        None => (1, count),
        Some((from, to)) => check_range(from, to, count)?,
    };
    let shown = lines.iter().enumerate();
    let shown = shown.skip(from - 1).take(to + 1 - from);
    Ok(shown
        .map(|(index, line)| numbered(index + 1, line))
        .collect())
}

fn numbered(number: usize, line: &str) -> String {
    format!("{number:>WIDTH$}\t{line}\n")
}

fn check_range(from: i64, to: i64, count: usize) -> Result<(usize, usize), ToolError> {
    let invalid = || {
        ToolError::failed(format!(
            "`view_range` [{from}, {to}] does not fit: the file has {count} lines; the first number is that of a line, the \
             second is not smaller, or -1 for the end"
        ))
    };
    let from_line = usize::try_from(from).map_err(|_| invalid())?;
    let to_line = match to {
        -1 => count,
        to => usize::try_from(to).map_err(|_| invalid())?.min(count),
    };
    match from_line >= 1 && from_line <= to_line {
        true => Ok((from_line, to_line)),
        false => Err(invalid()),
    }
}

/// Replaces the one occurrence of a text, and returns the new text and the lines around the change.
pub(crate) fn replace(
    text: &str,
    path: &str,
    old: &str,
    new: &str,
) -> Result<(String, String), ToolError> {
    if old.is_empty() {
        return Err(ToolError::failed(
            "`old_str` is empty: use `insert` to add text",
        ));
    }
    let found: Vec<usize> = text.match_indices(old).map(|(at, _)| at).collect();
    match found.as_slice() {
        [] => Err(ToolError::failed(format!(
            "nothing was replaced: {path} does not contain `old_str` as it is written; view the file again"
        ))),
        [at] => {
            let edited = format!("{}{new}{}", &text[..*at], &text[at + old.len()..]);
            let shown = around(&edited, *at, new.len());
            Ok((edited, shown))
        }
        many => {
            let lines = many
                .iter()
                .take(20)
                .map(|at| line_of(text, *at).to_string());
            let lines = lines.collect::<Vec<_>>().join(", ");
            Err(ToolError::failed(format!(
                "nothing was replaced: `old_str` occurs {} times in {path}, in the lines {lines}; make it longer, so that it \
                 occurs once",
                many.len()
            )))
        }
    }
}

/// Inserts a text after a line, 0 for the beginning, and returns the new text and the lines around the change.
pub(crate) fn insert(text: &str, line: i64, new: &str) -> Result<(String, String), ToolError> {
    let count = text.lines().count();
    let invalid = || {
        ToolError::failed(format!(
            "`insert_line` {line} does not fit: it is a number from 0 to {count}, that of the line after which the text goes"
        ))
    };
    let line = usize::try_from(line).ok().filter(|line| *line <= count);
    let line = line.ok_or_else(invalid)?;
    let at = match line {
        0 => 0,
        line => text
            .match_indices('\n')
            .nth(line - 1)
            .map_or(text.len(), |(at, _)| at + 1),
    };
    let (before, after) = text.split_at(at);
    let begin = if before.is_empty() || before.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let end = if new.ends_with('\n') || after.is_empty() {
        ""
    } else {
        "\n"
    };
    let edited = format!("{before}{begin}{new}{end}{after}");
    let shown = around(&edited, at, begin.len() + new.len());
    Ok((edited, shown))
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Renders the lines around a change.
fn around(text: &str, at: usize, length: usize) -> String {
    let first = line_of(text, at).saturating_sub(CONTEXT).max(1);
    let last = line_of(text, at + length) + CONTEXT;
    let lines = text.lines().enumerate().skip(first - 1);
    let lines = lines.take(last + 1 - first);
    lines
        .map(|(index, line)| numbered(index + 1, line))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers_of_a_width() {
        assert_eq!(number("a\nb\n", None).unwrap(), "     1\ta\n     2\tb\n");
        assert_eq!(
            number("a\nb\nc", Some((2, -1))).unwrap(),
            "     2\tb\n     3\tc\n"
        );
        assert_eq!(
            number("a\nb\nc", Some((2, 999_999_999))).unwrap(),
            "     2\tb\n     3\tc\n"
        );
        assert_eq!(number("", None).unwrap(), "");
        for (from, to) in [
            (0, 1),
            (-1, 2),
            (3, 2),
            (9, -1),
            (i64::MIN, i64::MAX),
            (2, -2),
        ] {
            assert!(
                number("a\nb\nc", Some((from, to))).is_err(),
                "[{from}, {to}]"
            );
        }
    }

    #[test]
    fn one_occurrence_is_replaced() {
        let (edited, shown) = replace("a\nb\nc\n", "/m", "b", "x\ny").unwrap();
        assert_eq!(edited, "a\nx\ny\nc\n");
        assert_eq!(shown, "     1\ta\n     2\tx\n     3\ty\n     4\tc\n");
        let error = replace("b\nb\n", "/m", "b", "x").unwrap_err().to_string();
        assert!(
            error.contains("2 times in /m, in the lines 1, 2"),
            "{error}"
        );
        assert!(replace("b", "/m", "c", "x").is_err());
        assert!(replace("b", "/m", "", "x").is_err());
    }

    #[test]
    fn text_is_inserted_after_a_line() {
        assert_eq!(insert("a\nb\n", 0, "x").unwrap().0, "x\na\nb\n");
        assert_eq!(insert("a\nb\n", 1, "x\n").unwrap().0, "a\nx\nb\n");
        assert_eq!(insert("a\nb", 2, "x").unwrap().0, "a\nb\nx");
        assert_eq!(insert("", 0, "x").unwrap().0, "x");
        assert!(insert("a", 2, "x").is_err());
        assert!(insert("a", -1, "x").is_err());
    }
}
