//! The lines of a file, with their numbers.

use helve::prelude::*;

use crate::client::Api;
use crate::text::plain_line;

/// The characters for the first lines.
const HEADER_CHARS: usize = 600;

/// The lines that are shown, and where the last one of them is cut.
struct ShownLines {
    text: String,
    /// The number of the last line.
    end: usize,
    /// Where what is shown of the only line begins and ends, and how many characters the line has.
    cut: Option<(usize, usize, usize)>,
}

/// Renders the lines of a range that there is room for. What is left out of a line is said, too: `start` is the first
/// character of the first line that is shown.
pub(super) fn render(
    api: &Api<'_>,
    header: &str,
    content: &str,
    lines: Option<&str>,
    start: usize,
) -> Result<String, ToolError> {
    let all: Vec<&str> = content.lines().collect();
    let total = all.len();
    let (first, last) = range(lines, total)?;
    let room = api.cx.result_budget().saturating_sub(HEADER_CHARS).max(400);
    let wanted = all.get(first - 1..last).unwrap_or_default();
    let shown = show(wanted, first, start, room)?;
    let end = shown.end;
    let mut of = match (first, end) {
        (1, end) if end == total => format!("{total} lines"),
        (first, end) => format!("lines {first} to {end} of {total}"),
    };
    if start > 0 && shown.cut.is_none() {
        of = format!("{of}, line {first} from its character {start}");
    }
    of = match shown.cut {
        Some((from, to, chars)) => format!(
            "{of}; line {end} has {chars} characters, of which {from} to {to} are shown: more with `lines` \"{end}-\" and \
             `start` {to}"
        ),
        None if end < total => format!("{of}; more with `lines` \"{}-\"", end + 1),
        None => of,
    };
    let text = shown.text.trim_end_matches('\n');
    Ok(format!("{header}: {of}\n{text}"))
}

fn show(wanted: &[&str], first: usize, start: usize, room: usize) -> Result<ShownLines, ToolError> {
    let mut shown = ShownLines {
        text: String::new(),
        end: first - 1,
        cut: None,
    };
    let mut used = 0;
    for (number, line) in (first..).zip(wanted) {
        let line = plain_line(line);
        let chars = line.chars().count();
        let from = if number == first { start } else { 0 };
        if from > 0 && from >= chars {
            return Err(ToolError::failed(format!(
                "there is no character {from} of line {number}: it has {chars}"
            )));
        }
        let prefix = format!("{number:>6}\t");
        let left = room.saturating_sub(prefix.len() + 1).max(1);
        used += prefix.len() + chars - from + 1;
        if used > room && !shown.text.is_empty() {
            break;
        }
        shown.text.push_str(&prefix);
        shown.text.extend(line.chars().skip(from).take(left));
        shown.text.push('\n');
        shown.end = number;
        if chars - from > left {
            shown.cut = Some((from, from + left, chars));
            break;
        }
    }
    Ok(shown)
}

/// Reads a range of lines, such as `10-40`, `10-` or `10`.
fn range(lines: Option<&str>, total: usize) -> Result<(usize, usize), ToolError> {
    let Some(lines) = lines else {
        return Ok((1, total));
    };
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let parse = |number: &str| number.parse::<usize>().ok();
    let last = if last.is_empty() {
        Some(total)
    } else {
        parse(last)
    };
    let (first, last) = (
        parse(first).filter(|first| *first > 0),
        last.map(|last| last.min(total)),
    );
    match (first, last) {
        (Some(first), Some(last)) if first <= last => Ok((first, last)),
        _ => Err(ToolError::failed(format!(
            "there are no lines `{}`: the file has {total}",
            lines.escape_debug()
        ))),
    }
}
