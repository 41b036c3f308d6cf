//! Previews of the changes that a call would make, for its approval.

use serde::{Deserialize, Serialize};

use super::hunks::unified_hunks;

/// The maximum size of a diff, in bytes.
const MAX_DIFF_BYTES: usize = 64 << 10;

/// What a call would change, for its approval.
///
/// A tool's check shows it: `Check::Pass.showing(Preview::diff(path, before, after))`. It is made afresh for each
/// question and is no part of what is recorded.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::tool::Preview;
///
/// let preview = Preview::diff("notes.txt", Some("one\ntwo\n"), "one\n2\n");
/// assert_eq!(preview.to_string(), "\
/// --- notes.txt
/// +++ notes.txt
/// @@ -1,2 +1,2 @@
///  one
/// -two
/// +2
/// ");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Preview {
    /// A file becomes another one.
    Diff {
        /// The file.
        path: String,
        /// Its hunks in unified form, without the two lines that name the file.
        unified: String,
        /// Whether the file is not there yet.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_new: bool,
    },
    /// Commits are published.
    Commits {
        /// A line for each, the latest first, or why they are not known.
        commits: Vec<String>,
    },
}

impl Preview {
    /// Creates a preview of a changed file; `before` is `None` for a new file.
    ///
    /// The work and the length are limited: a diff of very different texts is coarse, and a very long one is
    /// truncated.
    pub fn diff(path: impl Into<String>, before: Option<&str>, after: &str) -> Self {
        Self::Diff {
            path: path.into(),
            unified: truncate_diff(Self::hunks(before.unwrap_or_default(), after)),
            is_new: before.is_none(),
        }
    }

    /// Returns the hunks of a unified diff in full, without the two lines that name the file.
    #[doc(hidden)]
    pub fn hunks(before: &str, after: &str) -> String {
        unified_hunks(before, after)
    }

    /// Creates a preview from an existing unified diff. The lines with the file names may be missing.
    pub fn from_unified(path: impl Into<String>, diff: &str) -> Self {
        let hunks = diff.find("@@").map_or(diff, |start| &diff[start..]);
        let is_new = diff.lines().any(|line| line == "--- /dev/null");
        Self::Diff {
            path: path.into(),
            unified: truncate_diff(hunks.to_owned()),
            is_new,
        }
    }
}

impl std::fmt::Display for Preview {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Diff {
                path,
                unified,
                is_new,
            } => {
                let old = if *is_new { "/dev/null" } else { path };
                write!(f, "--- {old}\n+++ {path}\n{unified}")
            }
            Self::Commits { commits } => {
                f.write_str("commits to push:\n")?;
                let mut commits = commits.iter();
                commits.try_for_each(|commit| writeln!(f, "  {commit}"))
            }
        }
    }
}

/// Truncates a diff after a complete line.
fn truncate_diff(mut diff: String) -> String {
    if diff.len() > MAX_DIFF_BYTES {
        let mut bytes = diff.as_bytes()[..MAX_DIFF_BYTES].iter();
        let end = bytes.rposition(|byte| *byte == b'\n');
        let (all, kept) = (diff.lines().count(), end.map_or(0, |end| end + 1));
        diff.truncate(kept);
        let left = all - diff.lines().count();
        diff += &format!("\\ {left} more lines of this diff are not shown\n");
    }
    diff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_diff_is_cut_and_says_so() {
        let Preview::Diff {
            unified, is_new, ..
        } = Preview::diff("big", None, &"0123456789\n".repeat(100_000))
        else {
            panic!("a diff")
        };
        assert!(is_new && unified.len() < MAX_DIFF_BYTES + 100);
        assert!(
            unified.ends_with("more lines of this diff are not shown\n"),
            "{}",
            &unified[unified.len() - 80..]
        );
    }

    #[test]
    fn a_diff_of_somebody_else_is_taken_as_it_is() {
        let preview = Preview::from_unified("a", "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(preview, Preview::diff("a", None, "x\n"));
        let json = serde_json::to_string(&preview).unwrap();
        assert_eq!(
            json,
            r#"{"type":"diff","path":"a","unified":"@@ -0,0 +1 @@\n+x\n","is_new":true}"#
        );
    }
}
