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

use std::path::Path;

use crate::tool::{Access, Check, Checked, Confinement, Coverage, Part, ToolContext, Touch};

pub use helve_shell::{
    Construct, GitPush, Layer, SedRefusal, danger, edited_places, git_command, git_push,
    grave_danger, layer, only_reads, prefixes, sed_refusal, suggest, unreadable,
    written_by_redirection,
};

/// Judges a command line: the `check` of a tool that runs it.
#[must_use]
pub fn check(context: &ToolContext, command: &str) -> Checked {
    let home = context.home().and_then(Path::to_str);
    let checked = helve_shell::check(command, home);
    let confinement = match checked.check {
        helve_shell::Check::ReadOnly => Confinement::ReadOnly,
        _ => Confinement::None,
    };
    let line = command.to_owned();
    verdict(checked.check)
        .of_parts(checked.parts.into_iter().map(part))
        .touching(checked.touches.into_iter().map(touch))
        .confined(confinement)
        .suggesting(suggest(command))
        .matching(move |_, rule| covers(rule, &line))
}

/// Says what of a command line a rule covers: the `match_rule` of a tool that runs it.
#[must_use]
pub fn covers(rule: &str, command: &str) -> Coverage {
    Coverage::of_parts(helve_shell::covers(rule, command))
}

fn verdict(check: helve_shell::Check) -> Check {
    match check {
        helve_shell::Check::Pass => Check::Pass,
        helve_shell::Check::ReadOnly => Check::ReadOnly,
        helve_shell::Check::Edit { paths } => Check::Edit { paths },
        helve_shell::Check::Ask {
            reason,
            safety,
            in_bypass,
            part,
        } => Check::Ask {
            reason,
            safety,
            in_bypass,
            part,
        },
        helve_shell::Check::Deny { reason, part } => Check::Deny { reason, part },
        _ => Check::ask("the verdict on the command line is not known here"),
    }
}

fn part(part: helve_shell::Part) -> Part {
    if part.read_only {
        Part::read_only(part.text)
    } else {
        Part::new(part.text)
    }
}

fn touch(touch: helve_shell::Touch) -> Touch {
    let is_pattern = touch.is_pattern;
    let mut touched = Touch::read(touch.path);
    touched.access = match touch.access {
        helve_shell::Access::Read => Access::Read,
        helve_shell::Access::Write => Access::Write,
        helve_shell::Access::Unknown => Access::Unknown,
    };
    touched.part = touch.part;
    if is_pattern {
        touched.pattern()
    } else {
        touched
    }
}
