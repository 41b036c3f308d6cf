//! The analysis of shell command lines by their text: the permission logic of a `bash` tool.
//!
//! Every simple command of a pipeline, a list, a group, a loop or a substitution is a part that is judged separately,
//! whatever wrappers, quotes, paths or assignments precede its program. A command whose effect cannot be determined
//! from the text needs approval.
//!
//! ```
//! use helve_shell::{Check, check, covers, suggest};
//!
//! assert_eq!(check("git log | head -n 5", None).check, Check::ReadOnly);
//! assert!(matches!(
//!     check("ls && sudo rm -rf /", None).check,
//!     Check::Deny { part: Some(part), .. } if part == "sudo rm -rf /"
//! ));
//! assert!(covers("rm:*", "ls && /bin/rm x").contains(&true));
//! assert_eq!(suggest("npm run build && git push"), ["npm run:*", "git push:*"]);
//! ```
//!
//! # Proof and heuristics
//!
//! The strict analysis (`proof`, `specs`) proves the effect of a line; only a proof allows a line to run. The heuristic
//! analysis (`heuristics`) examines the same text more broadly, and its findings only make a verdict stricter.
//! `verdict` combines both.
//!
//! # The rule language
//!
//! | rule | covers |
//! |---|---|
//! | `git commit:*` | `git commit`, and `git commit` followed by any text |
//! | `docker * up` | any text in place of `*`; a blank and a `*` at the end may be missing |
//! | `npm install` | a command that begins with this text; as a deny rule, a part that contains it anywhere |
//! | `\*`, `\\` | the characters themselves |
//!
//! Allow rules must cover the beginning of every part that does more than read; a redirection that writes a file is a
//! separate part. Without a proof, no allow rule covers the line. A deny rule applies if it covers any part in any of
//! its spellings: with and without wrappers, and by the bare name of its program.

mod dangerous;
mod environment;
mod facts;
mod git;
mod heuristics;
mod name_list;
mod paths;
mod proof;
mod queries;
mod rules;
mod script;
mod specs;
mod suggest;
#[doc(hidden)]
pub mod testing;
mod verdict;

pub use facts::{AccessKind, Check, CommandPart, CommandReport, Confinement, FileAccess};
pub use git::GitPush;
pub use queries::{
    SedRefusal, catastrophic_danger, danger_reason, edited_paths, first_unreadable_construct,
    git_command, git_push, only_reads, redirection_targets, rule_prefixes, sed_refusal,
};
pub use script::Construct;
pub use verdict::{Analysis, Dialect, Shell};

/// Judges a command line for bash; `home` is the user's home folder, if known.
#[must_use]
pub fn check(command: &str, home: Option<&str>) -> CommandReport {
    Analysis::new(command, home, Shell::default()).check()
}

/// Returns for each of [`CommandReport::parts`] whether a rule covers it.
#[must_use]
pub fn covers(rule: &str, command: &str) -> Vec<bool> {
    Analysis::new(command, None, Shell::default()).covers(rule)
}

/// Suggests rules that would cover a command line; see [`Analysis::suggestions`].
#[must_use]
pub fn suggest(command: &str) -> Vec<String> {
    Analysis::new(command, None, Shell::default()).suggestions()
}
