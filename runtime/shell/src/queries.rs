//! Single questions about a command line, for hosts with a policy of their own.

use super::git;
use super::heuristics::analysis::{FindingKind, LineAnalysis, analyse};
use super::heuristics::{parse, sed_script};
use super::script::{Construct, RedirectKind, ScriptWord};

/// Reports whether a command line only reads, dangerous places aside.
///
/// ```
/// use helve_shell::only_reads;
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

/// Returns the first construct that keeps a reader from telling what runs.
#[must_use]
pub fn first_unreadable_construct(command: &str) -> Option<Construct> {
    analyse(command, None).constructs.first().copied()
}

/// Returns why a command line is dangerous, whatever it is meant for.
#[must_use]
pub fn danger_reason(command: &str) -> Option<String> {
    reason_of_finding(&analyse(command, None), |_| true)
}

/// Returns why a command line is catastrophic: it destroys the system or the user's data, or gives away control of the machine.
#[must_use]
pub fn catastrophic_danger(command: &str, home: Option<&str>) -> Option<String> {
    reason_of_finding(&analyse(command, home), |is_grave| is_grave)
}

fn reason_of_finding(analysis: &LineAnalysis, wanted: fn(bool) -> bool) -> Option<String> {
    let dangers = analysis
        .findings
        .iter()
        .filter(|finding| finding.kind == FindingKind::Dangerous);
    dangers
        .filter(|finding| wanted(finding.is_grave))
        .map(|finding| finding.reason.to_string())
        .next()
}

/// Returns the layer that decides about a command line, where it is one that asks.
#[must_use]
pub fn deciding_kind(command: &str) -> Option<FindingKind> {
    let analysis = full_analysis(command);
    if let Some(finding) = analysis.most_severe() {
        return Some(finding.kind);
    }
    match analysis.check().check {
        crate::Check::Ask { .. } => Some(FindingKind::Unclear),
        crate::Check::Pass => Some(FindingKind::Unlisted),
        _ => None,
    }
}

/// Why a call of `sed` is not let through without a question.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SedRefusal {
    /// In words for the person.
    pub reason: String,
}

/// Returns why the calls of `sed` in a command line are not let through: their program does more than print lines and
/// replace text, or a file that they change is one that `is_dangerous` names.
#[must_use]
pub fn sed_refusal(command: &str, is_dangerous: impl Fn(&str) -> bool) -> Option<SedRefusal> {
    let script = parse::parse(command);
    script
        .commands
        .iter()
        .filter(|command| command.words.first().is_some_and(|word| word.text == "sed"))
        .find_map(|command| {
            let refuse = |reason: String| Some(SedRefusal { reason });
            match sed_script::read(&command.words) {
                Err(refusal) => refuse(refusal.reason().to_owned()),
                Ok(call) if call.in_place => {
                    let file = call
                        .files
                        .iter()
                        .map(|at| &*command.words[*at].text)
                        .find(|file| is_dangerous(file))?;
                    refuse(format!("it changes `{file}`"))
                }
                Ok(_) => None,
            }
        })
}

/// Returns the places that programs such as `rm`, `mv`, `cp` and `sed -i` change, each with the program, and those that
/// a redirection writes, as `redirect`.
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
            let files = sed_script::read(&command.words)
                .map(|call| call.files)
                .unwrap_or_default();
            places.extend(
                files
                    .into_iter()
                    .map(|at| (program.to_owned(), command.words[at].text.to_string())),
            );
        } else if PROGRAMS.contains(&program) {
            // A mode in digits is no place.
            let is_mode =
                |text: &str| program == "chmod" && text.bytes().all(|b| b.is_ascii_digit());
            let is_place = |text: &str| !text.starts_with('-') && !is_mode(text);
            let operands = arguments
                .iter()
                .filter(|word| is_place(&word.text) && !word.is_dynamic);
            places.extend(operands.map(|word| (program.to_owned(), word.text.to_string())));
        }
        let written = command
            .redirects
            .iter()
            .filter(|redirect| writes(redirect.kind));
        places.extend(
            written.map(|redirect| ("redirect".to_owned(), redirect.target.text.to_string())),
        );
    }
    places
}

/// Returns the files that redirections of a command line write.
#[must_use]
pub fn redirection_targets(command: &str) -> Vec<String> {
    let script = parse::parse(command);
    let redirects = script
        .commands
        .iter()
        .flat_map(|command| &command.redirects);
    redirects
        .filter(|redirect| writes(redirect.kind))
        .map(|redirect| redirect.target.text.to_string())
        .collect()
}

fn writes(kind: RedirectKind) -> bool {
    matches!(kind, RedirectKind::Write | RedirectKind::Both)
}

/// Returns the beginnings of rules that would cover a command line, at most so many.
#[must_use]
pub fn rule_prefixes(command: &str, most: usize) -> Vec<String> {
    full_analysis(command).prefixes(most)
}

/// What a `git push` does.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GitPush {
    /// The remote, where it is named.
    pub remote: Option<String>,
    /// The first reference, as it is written.
    pub refspec: Option<String>,
    /// The branch that it goes to.
    pub branch: Option<String>,
    /// Whether it overwrites what is there.
    pub is_forced: bool,
    /// Whether it removes what is there.
    pub deletes: bool,
    /// Whether it goes to a branch that others build on.
    pub is_protected: bool,
}

/// Reads a `git push`; none where the words are another command.
#[must_use]
pub fn git_push<T: AsRef<str>>(words: &[T]) -> Option<GitPush> {
    let words: Vec<ScriptWord<'_>> = words
        .iter()
        .map(|word| ScriptWord::literal(word.as_ref()))
        .collect();
    let is_git = words.first().is_some_and(|word| word.text == "git");
    let push = git::push(&words).filter(|_| is_git)?;
    Some(GitPush {
        remote: push.remote,
        refspec: push.refspec,
        branch: push.branch,
        is_forced: push.is_forced,
        deletes: push.deletes,
        is_protected: push.is_protected,
    })
}

/// Reads a command of git past the options before its sub-command: returns the sub-command and its arguments.
///
/// ```
/// use helve_shell::git_command;
///
/// assert_eq!(git_command(&["git", "-C", "x", "status", "-s"]), Some(("status", vec!["-s"])));
/// ```
#[must_use]
pub fn git_command<T: AsRef<str>>(words: &[T]) -> Option<(&str, Vec<&str>)> {
    let read: Vec<ScriptWord<'_>> = words
        .iter()
        .map(|word| ScriptWord::literal(word.as_ref()))
        .collect();
    let at = read
        .first()
        .filter(|word| word.text == "git")
        .and_then(|_| git::subcommand(&read))?;
    let rest = words[at + 1..].iter().map(AsRef::as_ref).collect();
    Some((words[at].as_ref(), rest))
}
