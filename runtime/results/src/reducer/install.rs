//! The output of package managers.

use super::lines::{is_failure, is_omission_notice, is_warning, join_lines};

/// Keeps the installed packages and the warnings. Returns `None` if something failed, or if no line states the result:
/// the output is then treated like any other.
pub(super) fn reduce(text: &str) -> Option<String> {
    if text
        .lines()
        .any(|line| is_failure(line) && !is_warning(line))
    {
        return None;
    }
    text.lines().any(is_summary).then(|| {
        let kept = |line: &&str| is_summary(line) || is_warning(line) || is_omission_notice(line);
        join_lines(text.lines().filter(kept))
    })
}

/// Reports whether a line states the result.
fn is_summary(line: &str) -> bool {
    let line = line.trim();
    let has_number = || line.contains(|c: char| c.is_ascii_digit());
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default().to_lowercase();
    let second = words.next().unwrap_or_default();
    match &*first {
        "added" | "removed" | "changed" | "audited" | "packages:" | "installed" | "uninstalled"
        | "upgraded" | "replaced" => has_number(),
        "successfully" | "success" | "+" | "-" | "adding" | "removing" => !second.is_empty(),
        "up" => second == "to",
        "already" => second == "up",
        "done" => second == "in" && has_number(),
        "updating" | "upgrading" | "downgrading" => line.contains(" -> "),
        "found" => line.contains("vulnerabilit"),
        _ => has_number() && line.contains("vulnerabilit"),
    }
}

#[cfg(test)]
mod tests {
    use super::reduce;

    #[test]
    fn what_went_wrong_is_not_summed_up() {
        assert_eq!(
            reduce("added 3 packages\nnpm ERR! code ELIFECYCLE\nmore"),
            None
        );
        assert_eq!(reduce("nothing that is known"), None);
    }

    #[test]
    fn each_manager_keeps_its_summary() {
        for (text, short) in [
            (
                "Collecting a\n  Downloading a.whl (3 kB)\nInstalling collected packages: a\nSuccessfully installed a-1.0",
                "Successfully installed a-1.0",
            ),
            (
                "Progress: resolved 4, reused 4\nPackages: +4\n++++\n\ndependencies:\n+ a 1.0.0\n\nDone in 1.2s",
                "Packages: +4\n+ a 1.0.0\nDone in 1.2s",
            ),
            (
                "  Downloaded a v1.0.0\n   Compiling a v1.0.0\n   Installed package `a v1.0.0` (executable `a`)",
                "   Installed package `a v1.0.0` (executable `a`)",
            ),
        ] {
            assert_eq!(reduce(text).as_deref(), Some(short));
        }
    }
}
