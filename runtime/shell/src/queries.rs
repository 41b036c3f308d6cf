//! Single queries about a command line, for hosts with their own policy.

use super::git::{self, GitPush};
use super::heuristics::analysis::{FindingKind, analyse};
use super::heuristics::{parse, sed_script};
use super::script::{Command, Construct, RedirectKind, ScriptWord};

/// Reports whether a command line only reads. Dangerous paths are not considered.
///
/// ```
/// # mod helve { pub mod permission { pub use helve_shell as shell; } }
/// use helve::permission::shell::only_reads;
///
/// assert!(only_reads("git status --short | wc -l"));
/// assert!(!only_reads("find . -delete"));
/// ```
#[must_use]
pub fn only_reads(command: &str) -> bool {
    full_analysis(command).only_reads()
}

fn full_analysis(command: &str) -> crate::Analysis {
    crate::Analysis::new(command, None, crate::Shell::default())
}

/// Returns the first construct that prevents determining what runs.
#[must_use]
pub fn first_unreadable_construct(command: &str) -> Option<Construct> {
    analyse(command, None).constructs.first().copied()
}

/// Returns the reason why a command line is dangerous, independent of its purpose.
#[must_use]
pub fn danger_reason(command: &str) -> Option<String> {
    find_danger(command, None, false)
}

/// Returns the reason why a command line is catastrophic: it destroys the system or the user's data, or gives away
/// control of the machine.
#[must_use]
pub fn catastrophic_danger(command: &str, home: Option<&str>) -> Option<String> {
    find_danger(command, home, true)
}

/// Returns the first danger of a command line; only a grave danger if `is_grave` is true.
fn find_danger(command: &str, home: Option<&str>, is_grave: bool) -> Option<String> {
    let findings = analyse(command, home).findings;
    let danger = findings.iter().find(|finding| {
        finding.kind == FindingKind::Dangerous && (finding.is_grave || !is_grave)
    })?;
    Some(danger.reason.to_string())
}

/// The refusal of a `sed` call, which needs approval.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SedRefusal {
    /// The reason, for the user.
    pub reason: String,
}

/// Returns the reason why the `sed` calls in a command line need approval: a script does more than print lines and
/// replace text, or `is_dangerous` returns true for a file that a call changes.
#[must_use]
pub fn sed_refusal(command: &str, is_dangerous: impl Fn(&str) -> bool) -> Option<SedRefusal> {
    let script = parse::parse(command);
    let calls = script.commands.iter().map(|command| &command.words);
    let mut calls = calls.filter(|words| words.first().is_some_and(|word| word.text == "sed"));
    let reason = calls.find_map(|words| match sed_script::read(words) {
        Err(refusal) => Some(refusal.reason().to_owned()),
        Ok(call) if call.in_place => {
            let mut files = call.files.iter().map(|at| &*words[*at].text);
            let file = files.find(|file| is_dangerous(file))?;
            Some(format!("it changes `{file}`"))
        }
        Ok(_) => None,
    })?;
    Some(SedRefusal { reason })
}

/// Returns the paths that programs such as `rm`, `mv`, `cp` and `sed -i` change, each with the program, and the paths
/// that a redirection writes, with `redirect` as the program.
#[must_use]
pub fn edited_paths(command: &str) -> Vec<(String, String)> {
    const PROGRAMS: [&str; 11] = [
        "rm", "mv", "cp", "chmod", "chown", "chgrp", "touch", "ln", "sed", "mkdir", "rmdir",
    ];
    let script = parse::parse(command);
    let mut places = Vec::new();
    for command in &script.commands {
        let program = command.words.first().map_or("", |word| &*word.text);
        let arguments = command.words.get(1..).unwrap_or_default();
        if program == "sed" {
            let call = sed_script::read(&command.words);
            let files = call.map(|call| call.files).unwrap_or_default();
            let changed = files.into_iter().map(|at| &command.words[at]);
            places.extend(changed.map(|word| (program.to_owned(), word.text.to_string())));
        } else if PROGRAMS.contains(&program) {
            // A numeric mode is not a path.
            let is_mode =
                |text: &str| program == "chmod" && text.bytes().all(|b| b.is_ascii_digit());
            let is_place = |text: &str| !text.starts_with('-') && !is_mode(text);
            let operands = arguments
                .iter()
                .filter(|word| is_place(&word.text) && !word.is_dynamic);
            places.extend(operands.map(|word| (program.to_owned(), word.text.to_string())));
        }
        places.extend(written(command).map(|place| ("redirect".to_owned(), place)));
    }
    places
}

/// Returns the files that redirections of a command line write.
#[must_use]
pub fn redirection_targets(command: &str) -> Vec<String> {
    let script = parse::parse(command);
    script.commands.iter().flat_map(written).collect()
}

/// Iterates over the files that the redirections of a command write.
fn written(command: &Command<'_>) -> impl Iterator<Item = String> {
    let redirects = command.redirects.iter();
    let written = redirects
        .filter(|redirect| matches!(redirect.kind, RedirectKind::Write | RedirectKind::Both));
    written.map(|redirect| redirect.target.text.to_string())
}

/// Returns the prefixes of rules that would cover a command line, at most `most`.
#[must_use]
pub fn rule_prefixes(command: &str, most: usize) -> Vec<String> {
    full_analysis(command).prefixes(most)
}

/// Parses a `git push`; returns `None` for another command.
#[must_use]
pub fn git_push<T: AsRef<str>>(words: &[T]) -> Option<GitPush> {
    git::push(&git_words(words)?)
}

/// Returns the words of a git command; `None` for another command.
fn git_words<T: AsRef<str>>(words: &[T]) -> Option<Vec<ScriptWord<'_>>> {
    let is_git = words.first()?.as_ref() == "git";
    let words = words.iter().map(|word| ScriptWord::literal(word.as_ref()));
    is_git.then(|| words.collect())
}

/// Returns the sub-command and the arguments of a git command, after the options before the sub-command.
///
/// ```
/// # mod helve { pub mod permission { pub use helve_shell as shell; } }
/// use helve::permission::shell::git_command;
///
/// assert_eq!(git_command(&["git", "-C", "x", "status", "-s"]), Some(("status", vec!["-s"])));
/// ```
#[must_use]
pub fn git_command<T: AsRef<str>>(words: &[T]) -> Option<(&str, Vec<&str>)> {
    let at = git::subcommand(&git_words(words)?)?;
    let rest = words[at + 1..].iter().map(AsRef::as_ref).collect();
    Some((words[at].as_ref(), rest))
}
