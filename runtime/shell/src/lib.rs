//! What a command line of a shell would do, as far as its text says: the permission logic of a `bash` tool.
//!
//! Every simple command of a pipeline, a list, a group, a loop or a substitution is a part and judged on its own, behind
//! whatever wrapper, quoting, path or assignment it stands. What cannot be read off the text takes a person.
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
//! # Two sides
//!
//! The strict side (`proof`, `specs`) proves what a line does: nothing else lets a line run. The finding side (`find`) takes
//! a generous look at the same text, and what it finds only makes a verdict stricter. `verdict` joins both.
//!
//! # The language of rules
//!
//! | written | covers |
//! |---|---|
//! | `git commit:*` | `git commit`, and `git commit` with anything behind it |
//! | `docker * up` | any text in the place of `*`; a blank and a `*` at the end may be missing |
//! | `npm install` | what begins with this text; to deny, a part that has it anywhere |
//! | `\*`, `\\` | the characters themselves |
//!
//! An allow rule has to cover every part that does more than read, by the words that it begins with; a redirection that
//! writes is a part of its own. Where there is no proof, no allow rule covers the line. A deny rule stops the call with any
//! part, in every way the part can be read: with its wrappers and without, by the bare name of its program.

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
mod word_list;

pub use facts::{AccessKind, Check, CommandPart, CommandReport, Confinement, FileAccess};
pub use git::GitPush;
pub use queries::{
    SedRefusal, catastrophic_danger, danger_reason, edited_paths, first_unreadable_construct,
    git_command, git_push, only_reads, redirection_targets, rule_prefixes, sed_refusal,
};
pub use script::Construct;
pub use verdict::{Analysis, Dialect, Shell};

/// Judges a command line for bash; `home` is the user's folder, where it is known.
#[must_use]
pub fn check(command: &str, home: Option<&str>) -> CommandReport {
    Analysis::new(command, home, Shell::default()).check()
}

/// Returns what of a command line a rule covers, for each of [`CommandReport::parts`].
#[must_use]
pub fn covers(rule: &str, command: &str) -> Vec<bool> {
    Analysis::new(command, None, Shell::default()).covers(rule)
}

/// Suggests rules that would cover a command line: see [`Analysis::suggestions`].
#[must_use]
pub fn suggest(command: &str) -> Vec<String> {
    Analysis::new(command, None, Shell::default()).suggestions()
}
