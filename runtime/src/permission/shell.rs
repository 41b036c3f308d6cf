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
//!     Check::Deny { part: Some(part), .. } if part == "sudo rm -rf /"
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
//! | `npm install` | what begins with this text; to deny, a part that has it anywhere |
//! | `\*`, `\\` | the characters themselves |
//!
//! An allow rule has to cover every part that does more than read, by the words that it begins with; a redirection that
//! writes is a part of its own. A deny rule stops the call with any part, in every way the part can be read: with its
//! wrappers and without, by the bare name of its program.
//!
//! What runs without a question is proven: a strict grammar of bash reads the whole line, and a specification names each
//! option of each program. Where there is no proof, no allow rule about a command covers the line.

use std::path::Path;

use crate::sandbox::{KnownSearchPath, Sandbox, SearchPath};
use crate::tool::{
    Access, Check, Checked, Confinement, Coverage, Part, ToolContext, ToolError, Touch,
};

pub use helve_shell::{
    Analysis, Construct, Dialect, GitPush, Layer, SedRefusal, Shell, danger, edited_places,
    git_command, git_push, grave_danger, layer, only_reads, prefixes, sed_refusal, suggest,
    unreadable, written_by_redirection,
};

/// The shell that a call was judged for. A check carries it to the body of the call, which runs the command line in that
/// shell, with that `PATH`, and in no other.
///
/// ```
/// # extern crate helve_runtime as helve;
/// use helve::permission::shell::{Dialect, JudgedShell};
/// use helve::tool::ToolContext;
///
/// fn program(context: &ToolContext) -> &'static str {
///     match context.judged::<JudgedShell>() {
///         Some(shell) if shell.dialect != Dialect::Bash => "sh",
///         _ => "bash",
///     }
/// }
/// # assert_eq!(program(&ToolContext::new()), "bash");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JudgedShell {
    /// The language that it speaks.
    pub dialect: Dialect,
    /// Where it looks for programs; `None` where that was not known before the sandbox was open.
    pub search_path: Option<SearchPath>,
}

impl JudgedShell {
    /// Gives the `PATH` that the command line has to be started with in a sandbox, which is open by now; `None` leaves it
    /// to the sandbox.
    ///
    /// # Errors
    ///
    /// Where the `PATH` was not known to the check and nothing can be proven of a command line that is started with it: the
    /// next call is judged by it.
    pub fn path_in<'a>(&'a self, sandbox: &'a dyn Sandbox) -> Result<Option<&'a str>, ToolError> {
        if let Some(judged) = &self.search_path {
            return Ok(judged.as_str());
        }
        match sandbox.search_path() {
            Some(path) if !path.is_writable() => Ok(path.as_str()),
            _ => Err(ToolError::failed(
                "nothing ran: the call was judged before its sandbox was open, and commands there can write a folder of their \
                 `PATH`; make the call again, and it is judged by that",
            )),
        }
    }
}

/// Judges a command line: the `check` of a tool that runs it in bash.
#[must_use]
pub fn check(context: &ToolContext, command: &str) -> Checked {
    check_for(context, command, Dialect::Bash)
}

/// Judges a command line for a shell that speaks this language: of another than bash nothing is proven. The result carries
/// a [`JudgedShell`].
#[must_use]
pub fn check_for(context: &ToolContext, command: &str, dialect: Dialect) -> Checked {
    let (search_path, path_is_writable) = search_path(context);
    let shell = Shell::default()
        .with_dialect(dialect)
        .with_writable_path(path_is_writable);
    let home = context.home().and_then(Path::to_str);
    let analysis = Analysis::new(command, home, shell);
    let checked = analysis.check();
    let confinement = match checked.confinement {
        helve_shell::Confinement::ReadOnly => Confinement::ReadOnly,
        _ => Confinement::None,
    };
    verdict(checked.check)
        .of_parts(checked.parts.into_iter().map(part))
        .touching(checked.touches.into_iter().map(touch))
        .confined(confinement)
        .suggesting(analysis.suggestions())
        .matching(move |_, rule| Coverage::of_parts(analysis.covers(rule)))
        .carrying(JudgedShell {
            dialect,
            search_path,
        })
}

/// Returns where the command line will look for programs, and whether a command could put one there: then a name says
/// nothing of what runs.
fn search_path(context: &ToolContext) -> (Option<SearchPath>, bool) {
    let path = match context.grants().sandbox.as_deref() {
        // Without a sandbox nothing runs; the verdict is one for a shell that this process starts.
        None => SearchPath::of_this_process(),
        Some(sandbox) => match sandbox.search_path() {
            KnownSearchPath::Known(path) => path,
            // It is looked at when the sandbox is open, before the command line is started.
            KnownSearchPath::NotYet => return (None, false),
            KnownSearchPath::Unknown => return (None, true),
        },
    };
    let roots = context
        .granted_files()
        .map_or(&[][..], |files| files.roots());
    let is_writable = path.is_writable() || path.leads_into(roots);
    (Some(path.clone()), is_writable)
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
