//! What a command line of a shell would do, as far as its text says: the permission logic of a `bash` tool.
//!
//! Every simple command of a pipeline, a list, a group, a loop or a substitution is a part and judged on its own, behind
//! whatever wrapper, quoting, path or assignment it stands. What cannot be read off the text takes a person.
//!
//! ```
//! use helve_runtime::permission::shell;
//! use helve_runtime::tool::{Check, ToolContext};
//!
//! let context = ToolContext::new();
//! assert_eq!(shell::check(&context, "git log | head -n 5").check, Check::ReadOnly);
//! assert!(matches!(
//!     shell::check(&context, "ls && sudo rm -rf /").check,
//!     Check::Ask { safety: true, part: Some(part), .. } if part == "sudo rm -rf /"
//! ));
//! assert!(shell::covers("rm:*", "ls && /bin/rm x").covers_any());
//! assert!(!shell::covers("git:*", "git commit && rm x").covers_all());
//! assert_eq!(shell::suggest("npm run build && git push"), ["npm run:*", "git push:*"]);
//! ```
//!
//! # The language of rules
//!
//! | written | covers |
//! |---|---|
//! | `git commit:*` | `git commit`, and `git commit` with anything behind it |
//! | `docker * up` | any text in the place of `*`; a blank and a `*` at the end may be missing |
//! | `npm install` | a part that has this text anywhere |
//! | `\*`, `\\` | the characters themselves |
//!
//! An allow rule has to cover every part that does more than read; a deny rule stops the call with any part. A deny rule
//! sees a part in every way it can be read: with its wrappers and without, by the bare name of its program.

mod analysis;
mod ansi;
mod braces;
mod dangerous;
mod environment;
mod glob;
mod judgement;
mod leaf;
mod lexer;
mod parse;
mod questions;
mod readers;
mod rules;
mod runners;
mod script;
mod sed;
mod sources;
mod suggest;
mod tree;
mod wrappers;

use crate::tool::{Checked, Coverage, ToolContext};

pub use analysis::Layer;
pub use questions::{
    GitPush, SedRefusal, danger, edited_places, git_command, git_push, grave_danger, layer,
    only_reads, prefixes, sed_refusal, unreadable, written_by_redirection,
};
pub use script::Construct;

/// Judges a command line: the `check` of a tool that runs it.
///
/// The line is analysed once: what is found suggests rules, holds rules against the call, and says what a line that only
/// reads is held to.
#[must_use]
pub fn check(context: &ToolContext, command: &str) -> Checked {
    let home = context.home().and_then(std::path::Path::to_str);
    let analysis = analysis::analyse(command, home);
    let checked = judgement::check(&analysis).suggesting(suggest::rules(&analysis));
    checked.matching(move |_, rule| rules::cover(&analysis, rule))
}

/// Says what of a command line a rule covers: the `match_rule` of a tool that runs it.
#[must_use]
pub fn covers(rule: &str, command: &str) -> Coverage {
    rules::cover(&analysis::analyse(command, None), rule)
}

/// Suggests rules that would cover a command line: the `suggest_rules` of a tool that runs it.
///
/// At most five, each about a program and its first argument; none that would let another program run.
#[must_use]
pub fn suggest(command: &str) -> Vec<String> {
    suggest::rules(&analysis::analyse(command, None))
}
