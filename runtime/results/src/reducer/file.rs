//! The contents of files that are read whole.

use super::{ReducedText, ReducerContext, ResultReducer};

/// The maximum number of lines that are shown of a file that was requested without a range.
const MAX_LINES: usize = 200;

/// Shortens a long file to its beginning if the call has no range.
#[derive(Debug)]
pub(super) struct FileReducer;

impl ResultReducer for FileReducer {
    fn reduce(&self, call: &ReducerContext<'_>, text: &str) -> Option<ReducedText> {
        let has = |name| call.argument(name).is_some();
        // The lines of the text of a document have no numbers that a call could refer to.
        let is_document = call
            .text_argument("path")
            .is_some_and(|path| path.to_lowercase().ends_with(".pdf"));
        if is_document || has("offset") || has("limit") || has("pages") {
            return None;
        }
        let (end, _) = text.match_indices('\n').nth(MAX_LINES - 1)?;
        let (shown, rest) = text.split_at(end + 1);
        let left = rest.lines().count();
        let (first, last) = (rest.lines().next()?, rest.lines().next_back()?);
        let notice = match (line_number(first), line_number(last)) {
            (Some(from), Some(to)) => format!(
                "[lines {from} to {to} are omitted; `read_file` with offset={from} shows them]"
            ),
            _ => format!("[the next {left} lines are omitted]"),
        };
        Some(ReducedText::new(format!("{shown}{notice}")))
    }

    fn name(&self) -> &str {
        "helve's reducer of files"
    }
}

/// Parses the number before a line.
fn line_number(line: &str) -> Option<u64> {
    line.split_once('\t')?.0.trim_start().parse().ok()
}
