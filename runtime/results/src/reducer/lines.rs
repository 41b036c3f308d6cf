//! The classification of lines of a program's output.

/// Prefixes of words that indicate a failure; the suffixes follow: `errors`, `TypeError`, `failures`.
const FAILURE_PREFIXES: &[&str] = &["error", "exception", "failed", "failure"];
const FAILURE_SUFFIXES: &[&str] = &["error", "errors", "exception"];

/// Signs that test runners put before a failure.
const FAILURE_SIGNS: &[char] = &['✗', '✕', '✘', '×', '❌', '●', '⨯'];

pub(super) fn is_failure(line: &str) -> bool {
    line.contains(FAILURE_SIGNS)
        || line.trim_start().starts_with("not ok")
        || line.starts_with("E  ")
        || line.contains("not found")
        || line.contains("No such file")
        || has_word(line, |word| match word {
            "abort" | "aborted" | "assertion" | "cannot" | "critical" | "denied" | "err"
            | "fail" | "failing" | "fails" | "fatal" | "killed" | "panic" | "panicked"
            | "refused" | "segfault" | "segmentation" | "traceback" | "unable" | "undefined"
            | "unresolved" => true,
            _ => {
                FAILURE_PREFIXES.iter().any(|begin| word.starts_with(begin))
                    || FAILURE_SUFFIXES.iter().any(|end| word.ends_with(end))
            }
        })
}

pub(super) fn is_warning(line: &str) -> bool {
    has_word(line, |word| {
        matches!(
            word,
            "warn" | "warning" | "warnings" | "deprecated" | "deprecation"
        )
    })
}

/// Reports whether a line contains a matching word that is not negated, as in `0 failed` and `no errors`.
fn has_word(line: &str, is_it: impl Fn(&str) -> bool) -> bool {
    let words = line.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    let before = std::iter::once("").chain(words.clone());
    before.zip(words).any(|(before, word)| {
        let is_absent = matches!(before, "0" | "no" | "No");
        !is_absent && is_it(&word.to_lowercase())
    })
}

/// Reports whether a line is a notice about omitted text, which a tool or another reducer added.
pub(super) fn is_omission_notice(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("[…") && line.ends_with(']')
}

/// Joins lines, and keeps one of several consecutive blank lines.
pub(super) fn join_lines<'t>(lines: impl IntoIterator<Item = &'t str>) -> String {
    let mut text = String::new();
    let (mut was_blank, mut is_first) = (true, true);
    for line in lines {
        let is_blank = line.trim().is_empty();
        if is_blank && was_blank {
            continue;
        }
        if !is_first {
            text.push('\n');
        }
        text.push_str(line);
        (was_blank, is_first) = (is_blank, false);
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::{is_failure, is_warning, join_lines};

    #[test]
    fn trouble_is_told_from_its_absence() {
        for line in [
            "error[E0308]: mismatched types",
            "E   assert 1 == 2",
            "TypeError: x is not a function",
            "thread 'main' panicked at src/lib.rs:3:5:",
            "npm ERR! code ERESOLVE",
            "3 failed, 0 errors",
            "sh: 1: husky: not found",
            "  ✗ adds",
        ] {
            assert!(is_failure(line), "{line}");
        }
        for line in [
            "test result: ok. 3 passed; 0 failed; 0 ignored",
            "found no errors",
            "mirror selected",
            "wrote to stderr",
        ] {
            assert!(!is_failure(line), "{line}");
        }
        assert!(is_warning("npm warn deprecated x") && !is_warning("0 warnings"));
    }

    #[test]
    fn several_blank_lines_become_one() {
        assert_eq!(join_lines(["", "a", "", "  ", "b", ""]), "a\n\nb");
    }
}
