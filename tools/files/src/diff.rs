//! Unified diffs of written files, limited in length.

use helve::tool::Preview;

/// The greatest length of all diffs of a result, in characters.
pub(super) const MAX_DIFF_CHARS: usize = 12_000;

/// Renders the diff of one file; `None` is a file that does not exist. The diff of equal texts is empty.
pub(super) fn unified_diff(path: &str, before: Option<&str>, after: Option<&str>) -> String {
    let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
    // A carriage return would let a terminal overwrite the line.
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    let hunks = Preview::hunks(&old, &new);
    if hunks.is_empty() && before.is_some() && after.is_some() {
        return hunks;
    }
    let name = |there: Option<&str>| {
        if there.is_some() { path } else { "/dev/null" }
    };
    format!("--- {}\n+++ {}\n{hunks}", name(before), name(after))
}

/// Truncates diffs to `most` characters, after a complete line.
pub(super) fn truncate_diff(diff: &str, most: usize) -> String {
    let Some((end, _)) = diff.char_indices().nth(most) else {
        return diff.to_owned();
    };
    let end = diff[..end].rfind('\n').map_or(0, |end| end + 1);
    let left = diff[end..].lines().count();
    format!("{}\\ {left} more lines are not shown\n", &diff[..end])
}

/// Counts the lines that a diff adds and removes.
pub(super) fn counts(diff: &str) -> (usize, usize) {
    let hunks = diff.find("\n@@").map_or("", |at| &diff[at..]);
    let count = |sign: char| hunks.lines().filter(|line| line.starts_with(sign)).count();
    (count('+'), count('-'))
}

#[cfg(test)]
mod tests {
    use super::{counts, truncate_diff, unified_diff};

    #[test]
    fn names_what_is_not_there() {
        let new = unified_diff("a", None, Some("x\n"));
        assert_eq!(new, "--- /dev/null\n+++ a\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(unified_diff("a", None, Some("")), "--- /dev/null\n+++ a\n");
        assert_eq!(unified_diff("a", Some("x\n"), Some("x\n")), "");
        assert_eq!(counts(&new), (1, 0));
    }

    #[test]
    fn is_cut_behind_a_line() {
        assert_eq!(
            truncate_diff("ab\ncd\nef\n", 7),
            "ab\ncd\n\\ 1 more lines are not shown\n"
        );
        assert_eq!(truncate_diff("ab\n", 3), "ab\n");
    }
}
