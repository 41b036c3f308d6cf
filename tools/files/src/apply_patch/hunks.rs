//! Applies hunks to the text of a file.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use super::parse::{Hunk, LineSign};
use crate::name;
use crate::text::NormalizedText;

/// The greatest number of lines of the patch, and of the file, that an error shows.
const MAX_SHOWN_LINES: usize = 12;

/// The greatest number of line comparisons in the search for the closest match of a hunk.
const MAX_COMPARISONS: usize = 2_000_000;

/// Applies hunks to a text; the error names the hunk that does not match, and shows the closest lines of the file.
pub(super) fn apply(raw: &str, hunks: &[Hunk], path: &str) -> Result<String, String> {
    let whole = with_final_break(raw);
    let file = NormalizedText::new(&whole);
    let lines = IndexedLines::new(&file.text);
    let mut taken: Vec<(Range<usize>, &Hunk)> = Vec::new();
    let mut cursor = 0;
    // The offset between the line numbers of the patch and the actual lines so far.
    let mut drift = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        let place = HunkSearch { cursor, drift };
        let found = place.find(&lines, hunk, &taken).map_err(|miss| {
            let which = match hunks.len() {
                1 => format!("`{path}`"),
                _ => format!("`{path}`, hunk {} of {}", index + 1, hunks.len()),
            };
            format!("{which} (line {} of the patch): {miss}", hunk.line)
        })?;
        if let Some(at) = hunk.at {
            drift = found.start as isize + 1 - isize::try_from(at).unwrap_or_default();
        }
        cursor = found.end;
        taken.push((found, hunk));
    }
    taken.sort_by_key(|(place, _)| (place.start, place.end));
    let text = put(&file, &lines, &taken);
    let says = |hunk: &&Hunk| hunk.ends.iter().any(Option::is_some);
    let last = taken.iter().rev().map(|(_, hunk)| *hunk).find(says);
    let stays_open = match last {
        Some(hunk) => hunk.ends[1].is_some(),
        None => whole.len() != raw.len(),
    };
    Ok(if stays_open {
        without_final_break(text)
    } else {
        text
    })
}

/// Adds a line break to the last line, so that all lines have one.
fn with_final_break(raw: &str) -> Cow<'_, str> {
    if raw.is_empty() || raw.ends_with('\n') {
        return raw.into();
    }
    let end = if NormalizedText::new(raw).is_mostly_crlf() {
        "\r\n"
    } else {
        "\n"
    };
    format!("{raw}{end}").into()
}

/// Removes the last line break.
fn without_final_break(mut text: String) -> String {
    for end in ['\n', '\r'] {
        if text.ends_with(end) {
            text.pop();
        }
    }
    text
}

/// The lines of a text, with the offset of each.
struct IndexedLines<'a> {
    lines: Vec<&'a str>,
    starts: Vec<usize>,
}

impl<'a> IndexedLines<'a> {
    fn new(text: &'a str) -> Self {
        let mut starts = Vec::new();
        let mut lines = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            starts.push(at);
            at += line.len();
            lines.push(line.strip_suffix('\n').unwrap_or(line));
        }
        starts.push(at);
        Self { lines, starts }
    }
}

/// The start of the search for a hunk.
struct HunkSearch {
    cursor: usize,
    drift: isize,
}

/// How strictly lines are compared.
#[derive(Clone, Copy)]
enum MatchMode {
    Exact,
    /// Ignores white space at the ends of lines.
    Trimmed,
}

impl MatchMode {
    fn holds(self, line: &str, wanted: &str) -> bool {
        match self {
            Self::Exact => line == wanted,
            Self::Trimmed => line.trim_end() == wanted.trim_end(),
        }
    }
}

impl HunkSearch {
    /// Finds the lines that a hunk changes.
    fn find(
        &self,
        lines: &IndexedLines<'_>,
        hunk: &Hunk,
        taken: &[(Range<usize>, &Hunk)],
    ) -> Result<Range<usize>, String> {
        let after = self.after_headings(lines, hunk)?;
        let old = hunk.before();
        if old.is_empty() {
            return Ok(self.insertion(lines, hunk, after));
        }
        for likeness in [MatchMode::Exact, MatchMode::Trimmed] {
            let found = candidates(lines, &old, hunk.is_end, likeness);
            let free = |place: &Range<usize>| {
                taken
                    .iter()
                    .all(|(other, _)| place.end <= other.start || other.end <= place.start)
            };
            let found: Vec<Range<usize>> = found.into_iter().filter(free).collect();
            if let Some(place) = self.choose(&found, hunk, after)? {
                return Ok(place);
            }
        }
        Err(missing(lines, hunk, &old))
    }

    /// Chooses among several matches; fails if the hunk is ambiguous.
    fn choose(
        &self,
        found: &[Range<usize>],
        hunk: &Hunk,
        after: Option<usize>,
    ) -> Result<Option<Range<usize>>, String> {
        if let Some(after) = after {
            // The heading decides: the first match after it.
            return Ok(found.iter().find(|place| place.start >= after).cloned());
        }
        if let Some(at) = hunk.at {
            let expected = isize::try_from(at).unwrap_or(isize::MAX) - 1 + self.drift;
            let there = found
                .iter()
                .find(|place| isize::try_from(place.start) == Ok(expected));
            if let Some(there) = there {
                return Ok(Some(there.clone()));
            }
        }
        let behind: Vec<_> = found
            .iter()
            .filter(|place| place.start >= self.cursor)
            .collect();
        let (count, first) = match &*behind {
            [] => (found.len(), found.first()),
            behind => (behind.len(), behind.first().copied()),
        };
        if count > 1 {
            let lines: Vec<String> = found
                .iter()
                .take(10)
                .map(|place| (place.start + 1).to_string())
                .collect();
            return Err(format!(
                "its lines are in the file in {} places (from line {}); add lines around the place that is meant, or a \
                 line before it behind `@@`",
                found.len(),
                lines.join(", ")
            ));
        }
        Ok(first.cloned())
    }

    /// Returns the line after the headings; `None` if there are no headings. Fails if a heading is not found.
    fn after_headings(
        &self,
        lines: &IndexedLines<'_>,
        hunk: &Hunk,
    ) -> Result<Option<usize>, String> {
        let mut after = None;
        for heading in &hunk.headings {
            let from = after.unwrap_or(self.cursor);
            let wanted = heading.trim();
            let is_it = |line: &&str| line.trim() == wanted;
            let begins = |line: &&str| line.trim_start().starts_with(wanted);
            let rest = lines.lines.get(from..).unwrap_or_default();
            let found = rest
                .iter()
                .position(is_it)
                .or_else(|| rest.iter().position(begins));
            let Some(found) = found else {
                return Err(format!(
                    "the file has no line `{}`{}; after `@@`, write a line exactly as in the file",
                    name::truncate(wanted, 100, wanted.chars().count() as u64),
                    if from > 0 {
                        " behind the place before"
                    } else {
                        ""
                    },
                ));
            };
            after = Some(from + found + 1);
        }
        Ok(after)
    }

    /// Returns the position of a pure insertion: after the heading, at the named line, or at the end.
    fn insertion(
        &self,
        lines: &IndexedLines<'_>,
        hunk: &Hunk,
        after: Option<usize>,
    ) -> Range<usize> {
        let end = lines.lines.len();
        let named = hunk
            .at
            .map(|at| (at - 1).saturating_add_signed(self.drift).min(end));
        let at = after.or(named).unwrap_or(end);
        at..at
    }
}

/// Finds all matches of the lines.
fn candidates(
    lines: &IndexedLines<'_>,
    old: &[&str],
    is_end: bool,
    likeness: MatchMode,
) -> Vec<Range<usize>> {
    let Some(last) = lines.lines.len().checked_sub(old.len()) else {
        return Vec::new();
    };
    let first = if is_end { last } else { 0 };
    (first..=last)
        .filter(|at| {
            let here = lines.lines[*at..].iter().zip(old);
            here.into_iter()
                .all(|(line, wanted)| likeness.holds(line, wanted))
        })
        .map(|at| at..at + old.len())
        .collect()
}

/// Describes the closest match of a hunk's lines: the range with the most equal lines.
fn missing(lines: &IndexedLines<'_>, hunk: &Hunk, old: &[&str]) -> String {
    let mut message = String::from("its lines are not in the file");
    if hunk.is_end {
        message.push_str(" at its end");
    }
    message.push_str("; it wants\n");
    quote(&mut message, old);
    match nearest(lines, old) {
        Some(at) => {
            let end = (at + old.len()).min(lines.lines.len());
            let _ = writeln!(
                message,
                "and the nearest that is there, from line {}, is",
                at + 1
            );
            quote(&mut message, &lines.lines[at..end]);
            message.push_str("Copy the lines as they stand in the file.");
        }
        None => message.push_str("and the file has nothing similar; read the file again."),
    }
    message
}

fn quote(message: &mut String, lines: &[&str]) {
    for line in lines.iter().take(MAX_SHOWN_LINES) {
        let total = line.chars().count() as u64;
        let _ = writeln!(message, "  {}", name::truncate(line, 160, total));
    }
    if lines.len() > MAX_SHOWN_LINES {
        let _ = writeln!(message, "  … {} more", lines.len() - MAX_SHOWN_LINES);
    }
}

fn nearest(lines: &IndexedLines<'_>, old: &[&str]) -> Option<usize> {
    let mut compared = 0;
    let mut best = (0, 0);
    for at in 0..lines.lines.len() {
        let here = lines.lines[at..].iter().zip(old);
        compared += old.len();
        if compared > MAX_COMPARISONS {
            break;
        }
        let alike = here
            .filter(|(line, wanted)| !wanted.trim().is_empty() && line.trim() == wanted.trim())
            .count();
        if alike > best.0 {
            best = (alike, at);
        }
    }
    if best.0 > 0 {
        return Some(best.1);
    }
    let wanted = old.iter().find(|line| !line.trim().is_empty())?;
    let key = wanted.split_whitespace().max_by_key(|word| word.len())?;
    lines.lines.iter().position(|line| line.contains(key))
}

/// Returns the text with the hunks applied. Kept lines are copied from the file, even if their trailing white space
/// differs from the patch.
fn put(
    file: &NormalizedText<'_>,
    lines: &IndexedLines<'_>,
    taken: &[(Range<usize>, &Hunk)],
) -> String {
    let mut parts: Vec<(Range<usize>, String)> = Vec::new();
    for (place, hunk) in taken {
        let mut at = place.start;
        let mut part = (at..at, String::new());
        for (sign, line) in &hunk.lines {
            match sign {
                LineSign::Keep => {
                    at += 1;
                    parts.push(std::mem::replace(&mut part, (at..at, String::new())));
                }
                LineSign::Remove => {
                    at += 1;
                    part.0.end = at;
                }
                LineSign::Add => {
                    part.1.push_str(line);
                    part.1.push('\n');
                }
            }
        }
        parts.push(part);
    }
    let changes = |(place, text): &(Range<usize>, String)| !place.is_empty() || !text.is_empty();
    parts.retain(changes);
    let parts: Vec<(Range<usize>, &str)> = parts
        .iter()
        .map(|(place, text)| (lines.starts[place.start]..lines.starts[place.end], &**text))
        .collect();
    file.replace(&parts)
}

#[cfg(test)]
mod tests {
    use super::super::parse::{PatchAction, parse};
    use super::apply;

    fn patched(raw: &str, hunks: &str) -> Result<String, String> {
        let patch = format!("*** Begin Patch\n*** Update File: a\n{hunks}*** End Patch");
        let mut files = parse(&patch).unwrap();
        let PatchAction::Update { hunks, .. } = files.remove(0).action else {
            panic!("no update");
        };
        apply(raw, &hunks, "a")
    }

    #[test]
    fn hunks_are_put_where_they_belong() {
        for (raw, hunks, becomes) in [
            ("a\nb\nc\n", "@@\n a\n-b\n+x\n c\n", "a\nx\nc\n"),
            ("a\nb", "@@\n-b\n+x\n", "a\nx"),
            ("a\r\nb\r\n", "@@\n a\n-b\n+x\n+y\n", "a\r\nx\r\ny\r\n"),
            ("a\r\nb\nc\n", "@@\n a\n-b\n+x\n", "a\r\nx\nc\n"),
            ("a\n", "@@\n+b\n", "a\nb\n"),
            ("a", "@@\n+b\n", "a\nb"),
            ("", "@@\n+b\n", "b\n"),
            ("a\n", "@@\n-a\n", ""),
            ("a  \nb\n", "@@\n a\n-b\n+x\n", "a  \nx\n"),
            (
                "f {\n x\n}\ng {\n x\n}\n",
                "@@ g {\n- x\n+ y\n",
                "f {\n x\n}\ng {\n y\n}\n",
            ),
            ("x\ny\nx\n", "@@ -3 +3 @@\n-x\n+z\n", "x\ny\nz\n"),
            ("x\ny\nx\n", "@@\n-x\n+z\n*** End of File\n", "x\ny\nz\n"),
            ("a\nb\nc\n", "@@\n-a\n+1\n@@\n-c\n+3\n", "1\nb\n3\n"),
            ("a\nb\nc\n", "@@\n-c\n+3\n@@\n-a\n+1\n", "1\nb\n3\n"),
            ("a\n\nb\n", "@@\n a\n\n-b\n+c\n\n", "a\n\nc\n"),
            (
                "a\nb",
                "@@\n-b\n\\ No newline at end of file\n+b\n",
                "a\nb\n",
            ),
            (
                "a\nb\n",
                "@@\n-b\n+b\n\\ No newline at end of file\n",
                "a\nb",
            ),
        ] {
            assert_eq!(
                patched(raw, hunks).as_deref(),
                Ok(becomes),
                "{raw:?} {hunks:?}"
            );
        }
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let same = patched("x\ny\nx\n", "@@\n-x\n+z\n").unwrap_err();
        assert!(same.contains("in 2 places (from line 1, 3)"), "{same}");
        let gone = patched(
            "fn a() {\n    one();\n}\n",
            "@@\n fn a() {\n-    two();\n+    x();\n",
        );
        insta::assert_snapshot!(gone.unwrap_err(), @"
        `a` (line 3 of the patch): its lines are not in the file; it wants
          fn a() {
              two();
        and the nearest that is there, from line 1, is
          fn a() {
              one();
        Copy the lines as they stand in the file.
        ");
        let head = patched("a\n", "@@ fn b\n-a\n+b\n").unwrap_err();
        assert!(head.contains("no line `fn b`"), "{head}");
    }
}
