//! The paths that the error messages of a command name.

use std::collections::BTreeSet;
use std::path::PathBuf;

use helve::sandbox::Access;

/// The greatest number of lines that are searched, from the last one on.
const MAX_LINES: usize = 40;
/// The greatest length of a line that is searched, in bytes.
const MAX_LINE: usize = 2_000;
/// The greatest number of paths.
const MAX_PATHS: usize = 8;

/// The messages of the system for a path that the sandbox does not show, or shows read-only, in lower case.
const MISSING: &[&str] = &[
    "no such file or directory",
    "directory nonexistent",
    "enoent",
    "filenotfounderror",
];
const DENIED: &[&str] = &[
    "permission denied",
    "operation not permitted",
    "eacces",
    "eperm",
];
const READ_ONLY: &[&str] = &["read-only file system", "erofs"];

/// Words that tell that a program wanted to write.
const WRITES: &[&str] = &[
    "cannot create",
    "cannot touch",
    "cannot remove",
    "cannot move",
    "can't create",
    "could not create",
    "failed to create",
    "unable to create",
    "for writing",
];
/// Programs that only write to the paths that they report.
const WRITERS: &[&str] = &["tee: ", "mkdir: ", "touch: ", "truncate: "];

/// A path in an error message.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DeniedPath {
    pub(super) path: PathBuf,
    intent: Intent,
}

/// What the message tells of the access that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Intent {
    Read,
    Write,
    /// The message is the same for both.
    Either,
}

impl DeniedPath {
    /// Reports whether the access that failed may have been this one.
    pub(super) fn may_be(&self, access: Access) -> bool {
        match self.intent {
            Intent::Read => access == Access::Read,
            Intent::Write => access == Access::Write,
            Intent::Either => true,
        }
    }
}

/// Finds the absolute paths in the error messages of a command, the last messages first.
///
/// A command writes what it wants, so that the paths are only candidates.
pub(super) fn denied_paths(command: &str, text: &str) -> Vec<DeniedPath> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let lines = text.lines().rev().take(MAX_LINES);
    for line in lines.filter(|line| line.len() <= MAX_LINE) {
        let Some(intent) = intent_of(line) else {
            continue;
        };
        for path in paths_in(line) {
            let intent = match intent {
                Intent::Read | Intent::Either if is_redirected_to(command, path) => Intent::Write,
                intent => intent,
            };
            let path = PathBuf::from(path);
            let denied = DeniedPath { path, intent };
            if found.len() < MAX_PATHS && seen.insert(denied.clone()) {
                found.push(denied);
            }
        }
    }
    found
}

/// Returns what a line tells of an access that failed; `None` if the line is no such message.
fn intent_of(line: &str) -> Option<Intent> {
    let line = line.to_lowercase();
    let has = |messages: &[&str]| messages.iter().any(|message| line.contains(message));
    let writes = has(WRITES) || WRITERS.iter().any(|program| line.starts_with(program));
    if has(READ_ONLY) {
        return Some(Intent::Write);
    }
    match (has(MISSING), has(DENIED)) {
        (false, false) => None,
        _ if writes => Some(Intent::Write),
        (_, true) => Some(Intent::Either),
        (true, false) => Some(Intent::Read),
    }
}

/// Returns the absolute paths in a line: in quotes, as a part between colons, or as a word.
fn paths_in(line: &str) -> Vec<&str> {
    let mut paths = Vec::new();
    for (open, close) in [('\'', '\''), ('"', '"'), ('`', '`'), ('‘', '’'), ('“', '”')] {
        let mut rest = line;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((inner, after)) = after.split_once(close) else {
                break;
            };
            paths.push(inner);
            rest = after;
        }
    }
    paths.extend(line.split(": ").map(str::trim));
    let marks = [
        ',', ';', ':', '.', ')', '(', '\'', '"', '`', '‘', '’', '“', '”',
    ];
    paths.extend(line.split_whitespace().map(|word| word.trim_matches(marks)));
    paths.retain(|path| path.starts_with('/') && path.len() > 1);
    paths
}

/// Reports whether a command line redirects output to a path.
fn is_redirected_to(command: &str, path: &str) -> bool {
    command.match_indices(path).any(|(at, _)| {
        let before = command[..at].trim_end_matches(['"', '\'', ' ', '\t']);
        before.ends_with('>') || before.ends_with(">|")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(command: &str, text: &str) -> Vec<String> {
        let found = denied_paths(command, text).into_iter();
        found
            .map(|denied| format!("{:?} {}", denied.intent, denied.path.display()))
            .collect()
    }

    #[test]
    fn the_messages_of_usual_programs_name_their_paths() {
        for (text, found) in [
            ("cat: /srv/a: No such file or directory", "Read /srv/a"),
            (
                "ls: cannot access '/srv/a b': No such file or directory",
                "Read /srv/a b",
            ),
            (
                "bash: line 1: /srv/a: Read-only file system",
                "Write /srv/a",
            ),
            (
                "sh: 1: cannot create /srv/d/f: Directory nonexistent",
                "Write /srv/d/f",
            ),
            (
                "touch: cannot touch '/srv/f': Permission denied",
                "Write /srv/f",
            ),
            (
                "mkdir: cannot create directory ‘/srv/d’: No such file or directory",
                "Write /srv/d",
            ),
            ("tee: /srv/f: No such file or directory", "Write /srv/f"),
            ("open /srv/f: permission denied", "Either /srv/f"),
            (
                "FileNotFoundError: [Errno 2] No such file or directory: '/srv/f'",
                "Read /srv/f",
            ),
            (
                "Error: EROFS: read-only file system, open '/srv/f'",
                "Write /srv/f",
            ),
            (
                "error: failed to create file `/srv/f`: Operation not permitted",
                "Write /srv/f",
            ),
        ] {
            let all = shown("x", text);
            assert!(all.iter().any(|one| one == found), "{text}: {all:?}");
        }
        assert_eq!(shown("x", "see /srv/a for more\nerror: no"), [""; 0]);
        assert_eq!(shown("x", "cat: a: No such file or directory"), [""; 0]);
    }

    #[test]
    fn a_redirection_tells_that_the_command_writes() {
        let text = "bash: line 1: /srv/f: No such file or directory";
        for command in [
            "echo x > /srv/f",
            "echo x >/srv/f",
            "echo x >> '/srv/f'",
            "echo x >| /srv/f",
        ] {
            assert_eq!(shown(command, text), ["Write /srv/f"], "{command}");
        }
        assert_eq!(shown("cat < /srv/f", text), ["Read /srv/f"]);
    }

    #[test]
    fn long_outputs_are_searched_from_their_end_and_not_for_ever() {
        let line = |n: usize| format!("cat: /srv/{n}: No such file or directory\n");
        let text: String = (0..1_000).map(line).collect();
        let found = shown("x", &text);
        assert_eq!(found.len(), MAX_PATHS);
        assert_eq!(found[0], "Read /srv/999");
        let long = format!("cat: /{}: No such file or directory", "x".repeat(MAX_LINE));
        assert_eq!(shown("x", &long), [""; 0]);
    }
}
