//! The analysis of shell command lines by their text: the permission logic of a `bash` tool.
//!
//! Every simple command of a pipeline, a list, a group, a loop or a substitution is a part that is judged separately,
//! whatever wrappers, quotes, paths or assignments precede its program. A command whose effect cannot be determined
//! from the text needs approval.
//!
//! ```
//! use helve::permission::shell;
//! use helve::tool::{Check, ToolContext};
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
//! [`helve_shell`] documents the rule language.

use std::path::Path;
use std::sync::OnceLock;

use helve_core::authority;
use helve_core::sandbox::search_path::temporary_folders;
use helve_core::sandbox::{Sandbox, SearchPath, SearchPathState};
use helve_core::tool::{
    AccessKind, CallPart, Check, CheckReport, Confinement, Coverage, FileAccess, ToolContext,
    ToolError,
};

pub use helve_shell::{
    Analysis, Construct, Dialect, GitPush, SedRefusal, Shell, catastrophic_danger, danger_reason,
    edited_paths, first_unreadable_construct, git_command, git_push, only_reads,
    redirection_targets, rule_prefixes, sed_refusal, suggest,
};

/// The shell for which a call was judged. A check passes this value to the body of the call, which runs the command
/// line in this shell, with this `PATH`, and in no other.
///
/// ```
/// use helve::permission::shell::{Dialect, JudgedShell};
/// use helve::tool::ToolContext;
///
/// fn program(context: &ToolContext) -> &'static str {
///     match context.check_value::<JudgedShell>() {
///         Some(shell) if shell.dialect != Dialect::Bash => "sh",
///         _ => "bash",
///     }
/// }
/// # assert_eq!(program(&ToolContext::new()), "bash");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JudgedShell {
    /// The language of the shell.
    pub dialect: Dialect,
    /// The folders that the shell searches for programs; `None` if they were not known before the sandbox was opened.
    pub search_path: Option<SearchPath>,
}

impl JudgedShell {
    /// Returns the `PATH` with which the command line must be started in the open sandbox; `None` leaves the choice to
    /// the sandbox.
    ///
    /// # Errors
    ///
    /// Returns an error if the check did not know the `PATH`, and nothing can be proven of a command line that is
    /// started with it. The next call is judged with the known `PATH`.
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

/// Judges a command line for bash: the `check` of a tool that runs it.
#[must_use]
pub fn check(context: &ToolContext, command: &str) -> CheckReport {
    check_for(context, command, Dialect::Bash)
}

/// Judges a command line for a shell of this dialect. For dialects other than bash, nothing is proven. The result
/// carries a [`JudgedShell`].
#[must_use]
pub fn check_for(context: &ToolContext, command: &str, dialect: Dialect) -> CheckReport {
    let (search_path, path_is_writable) = search_path(context);
    let shell = Shell::default().with_dialect(dialect);
    let shell = shell.with_writable_path(path_is_writable);
    let home = context.home().and_then(Path::to_str);
    let analysis = Analysis::new(command, home, shell);
    let checked = analysis.check();
    let confinement = match checked.confinement {
        helve_shell::Confinement::ReadOnly => Confinement::ReadOnly,
        _ => Confinement::None,
    };
    convert_check(checked.check)
        .with_parts(checked.parts.into_iter().map(convert_part))
        .with_accesses(checked.file_accesses.into_iter().map(convert_file_access))
        .with_confinement(confinement)
        .with_suggested_rules(analysis.suggestions())
        .with_rule_matcher(move |_, rule| Coverage::from_parts(analysis.covers(rule)))
        .with_value(JudgedShell {
            dialect,
            search_path,
        })
}

/// Returns the search path of this process, where temporary folders are writable and nothing else is known.
fn own_search_path() -> &'static SearchPath {
    static OWN: OnceLock<SearchPath> = OnceLock::new();
    OWN.get_or_init(|| SearchPath::from_environment(std::env::var_os("PATH"), temporary_folders()))
}

/// Returns the folders that the command line will search for programs, and whether a command could write a program to
/// one of them. If so, a program name does not determine what runs.
fn search_path(context: &ToolContext) -> (Option<SearchPath>, bool) {
    let path = match authority::grants(context).sandbox.as_deref() {
        // Without a sandbox no command runs; the verdict is for a shell that this process would start.
        None => own_search_path(),
        Some(sandbox) => match sandbox.search_path() {
            SearchPathState::Known(path) => path,
            // The state is checked when the sandbox is open, before the command line is started.
            SearchPathState::NotYet => return (None, false),
            SearchPathState::Unknown => return (None, true),
        },
    };
    let roots = authority::granted_files(context).map_or(&[][..], |files| files.roots());
    let is_writable = path.is_writable() || path.leads_into(roots);
    (Some(path.clone()), is_writable)
}

/// Returns which parts of a command line a rule covers: the `match_rule` of a tool that runs it.
#[must_use]
pub fn covers(rule: &str, command: &str) -> Coverage {
    Coverage::from_parts(helve_shell::covers(rule, command))
}

fn convert_check(check: helve_shell::Check) -> Check {
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

fn convert_part(part: helve_shell::CommandPart) -> CallPart {
    let mut converted = CallPart::new(part.text);
    converted.read_only = part.read_only;
    converted
}

fn convert_file_access(access: helve_shell::FileAccess) -> FileAccess {
    let mut converted = FileAccess::read(access.path);
    converted.kind = match access.kind {
        helve_shell::AccessKind::Read => AccessKind::Read,
        helve_shell::AccessKind::Write => AccessKind::Write,
        helve_shell::AccessKind::Unknown => AccessKind::Unknown,
    };
    converted.is_pattern = access.is_pattern;
    converted.part = access.part;
    converted
}
