//! The changes that a dry run returns, as the preview of a question.
//!
//! The preview stands in place of the arguments, so that nothing of the output may be left out of it but the summary above
//! the diff. Output that is anything else than a diff to its end is no preview.

use std::str::Split;

use helve_core::tool::Preview;

/// The greatest size of a preview, in bytes.
const MAX_DIFF_BYTES: usize = 64 << 10;

/// Returns the preview of the changes that a dry run reports: a summary, then the diffs of files. Returns `None` if the
/// output is anything else.
pub(super) fn parse_preview(output: &str) -> Option<Preview> {
    let start = match output.starts_with("--- ") {
        true => 0,
        false => output.find("\n--- ")? + 1,
    };
    let diff = &output[start..];
    let mut lines = Lines::new(diff);
    let mut paths = Vec::new();
    while !lines.is_at_end() {
        paths.push(lines.read_file()?);
    }
    let is_one = paths.len() == 1;
    // The names of one file are beside its hunks.
    let hunks = diff.splitn(3, '\n').nth(2).filter(|_| is_one);
    Some(Preview::Diff {
        path: paths.join(", "),
        unified: truncate(hunks.unwrap_or(diff)),
        is_new: is_one && diff.starts_with("--- /dev/null\n"),
    })
}

/// Truncates a diff after a complete line.
fn truncate(diff: &str) -> String {
    if diff.len() <= MAX_DIFF_BYTES {
        return diff.to_owned();
    }
    let head = &diff[..diff.floor_char_boundary(MAX_DIFF_BYTES)];
    let end = head.rfind('\n').map_or(0, |end| end + 1);
    let left = diff[end..].lines().count();
    let head = &diff[..end];
    format!("{head}\\ {left} more lines of this diff are not shown\n")
}

/// The lines of a diff that are not read yet.
struct Lines<'d> {
    rest: Split<'d, char>,
    next: Option<&'d str>,
}

impl<'d> Lines<'d> {
    fn new(diff: &'d str) -> Self {
        let mut rest = diff.strip_suffix('\n').unwrap_or(diff).split('\n');
        let next = rest.next();
        Self { rest, next }
    }

    fn is_at_end(&self) -> bool {
        self.next.is_none()
    }

    /// Takes the next line, if it begins with a text, and returns what follows the text.
    fn take(&mut self, start: &str) -> Option<&'d str> {
        let rest = self.next?.strip_prefix(start)?;
        self.next = self.rest.next();
        Some(rest)
    }

    /// Reads the diff of one file, and returns its path.
    fn read_file(&mut self) -> Option<&'d str> {
        let old = self.take("--- ")?;
        let new = self.take("+++ ")?;
        while let Some(head) = self.take("@@ ") {
            self.read_hunk(head)?;
        }
        self.read_remark();
        Some(if new == "/dev/null" { old } else { new })
    }

    /// Reads as many lines as the head of a hunk says, or those before the remark that the rest is not shown.
    fn read_hunk(&mut self, head: &str) -> Option<()> {
        let (ranges, _) = head.split_once(" @@")?;
        let (old, new) = ranges.split_once(' ')?;
        let mut old = length(old.strip_prefix('-')?)?;
        let mut new = length(new.strip_prefix('+')?)?;
        while old > 0 || new > 0 {
            if self.read_remark() {
                // The remark about a missing line break at the end is within a hunk; that about other lines ends the diff.
                if self.is_at_end() {
                    break;
                }
            } else if self.take(" ").is_some() {
                old = old.checked_sub(1)?;
                new = new.checked_sub(1)?;
            } else if self.take("-").is_some() {
                old = old.checked_sub(1)?;
            } else {
                self.take("+")?;
                new = new.checked_sub(1)?;
            }
        }
        self.read_remark();
        Some(())
    }

    fn read_remark(&mut self) -> bool {
        self.take("\\ ").is_some()
    }
}

/// Returns the number of lines of a range, as in `3,4`.
fn length(range: &str) -> Option<usize> {
    let (start, length) = range.split_once(',').unwrap_or((range, "1"));
    start.parse::<usize>().ok()?;
    length.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_dry_run_is_searched_for_its_diff() {
        let one = "would change `a`\n--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n";
        let expected = Preview::diff("a", Some("x\n"), "y\n");
        assert_eq!(parse_preview(one), Some(expected));
        let two =
            "--- /dev/null\n+++ a\n@@ -0,0 +1 @@\n+x\n--- b\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        let Some(Preview::Diff { path, unified, .. }) = parse_preview(two) else {
            panic!("no diff");
        };
        assert_eq!((&*path, &*unified), ("a, b", two));
        let empty = "created\n--- /dev/null\n+++ a\n";
        assert_eq!(parse_preview(empty), Some(Preview::diff("a", None, "")));
        let cut = "--- a\n+++ a\n@@ -1,3 +1,3 @@\n x\n\\ 4 more lines are not shown\n";
        assert!(parse_preview(cut).is_some());
    }

    #[test]
    fn what_a_diff_would_hide_makes_it_none() {
        for output in [
            "",
            "sends\n\nPOST https://example.com\n\ntext",
            "a --- b\n+++ c\n",
            "--- a\n",
            "--- a\n+++ a\nhidden\n@@ -1 +1 @@\n-x\n+y\n",
            "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\nhidden\n",
            "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n\n",
            "--- a\n+++ a\n@@ -1 +1 @@\n-x\nhidden\n+y\n",
            "--- a\n+++ a\n@@ -1 +1,2 @@\n-x\n+y\n",
            "--- a\n+++ a\n@@ 1 1 @@\n",
            "--- a\n+++ a\n@@ -1 +1 @@\n-x\n\\ remark\nhidden\n",
            "hidden\n--- a\nhidden\n--- b\n+++ b\n@@ -1 +1 @@\n-x\n+y\n",
        ] {
            assert_eq!(parse_preview(output), None, "{output:?}");
        }
    }

    /// Removed and added lines that look like the names of a file name none.
    #[test]
    fn lines_of_a_hunk_are_no_names() {
        let (before, after) = ("-- b\n", "++ b\n");
        let Preview::Diff { unified, .. } = Preview::diff("a", Some(before), after) else {
            panic!("no diff");
        };
        assert!(unified.contains("--- b\n+++ b\n"));
        let output = format!("--- a\n+++ a\n{unified}");
        let expected = Preview::diff("a", Some(before), after);
        assert_eq!(parse_preview(&output), Some(expected));
    }

    proptest! {
        /// The diff of any texts is read, and is the preview that the texts themselves have.
        #[test]
        fn every_diff_is_read(before in "([-+@\\\\ a]{0,3}\n){0,8}[-+a]{0,3}", after in "([-+@\\\\ a]{0,3}\n){0,8}[-+a]{0,3}") {
            let expected = Preview::diff("a", Some(&before), &after);
            let Preview::Diff { unified, .. } = &expected else { unreachable!() };
            let output = format!("would change `a`\n--- a\n+++ a\n{unified}");
            prop_assert_eq!(parse_preview(&output), Some(expected.clone()));
            // Nothing can follow.
            prop_assert_eq!(parse_preview(&format!("{output}hidden\n")), None);
        }
    }
}
