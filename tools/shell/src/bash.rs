//! `bash`: runs a command line in the shell.

use std::sync::Arc;
use std::time::Duration;

use helve::permission::shell::{self, Dialect, JudgedShell};
use helve::prelude::*;
use helve::sandbox::{Child, OnDrop, ProcessSpec, Sandbox, SandboxError};
use helve::tool::{CheckReport, Interruption};
use tokio::time::Instant;

use super::blocked::{self, Grant, Refusals};
use super::commands::{Cursor, SessionCommands};
use super::follow::{FollowOptions, FollowOutcome, follow};
use super::report::report;

/// The greatest length of the returned output, in characters.
pub(super) const MAX_OUTPUT_CHARS: usize = 30_000;
/// How long a background command is watched, so that a command that fails at once is reported.
const FIRST_LOOK: Duration = Duration::from_millis(200);
/// How long before the deadline of its call a command is moved to the background, so that the result can be returned.
const MARGIN: Duration = Duration::from_millis(500);

/// Runs a command line in bash and returns what it writes.
///
/// Commands run in a sandbox: they see the working folder and the system's programs, and reach the network only as far as
/// the user opened it. Each call starts in the working folder with a fresh shell: a `cd` or a variable of one call is gone in the next. The
/// standard input is empty. A command that is not through after `timeout` seconds goes on in the background under an id,
/// for `bash_output` and `bash_kill`; servers and watchers are started with `background`. Every command of the line is
/// judged on its own: what only reads runs without a question, the rest asks. Prefer plain commands; what cannot be read
/// off the text, such as functions and `eval`, always asks.
#[tool(
    always,
    title = "Bash",
    open_world,
    untrusted_output,
    max_result_chars = 30_000,
    requires(process),
    check = check,
    examples = [r#"{"command": "git status --short"}"#]
)]
pub async fn bash(
    /// The command line, as it would be typed.
    #[arg(min_len = 1, example = "cargo test --lib")]
    command: &str,
    /// What it is for, in a few words, for the person who is asked.
    description: Option<&str>,
    /// How many seconds it may take before it goes on in the background.
    #[arg(default = 120, min = 1, max = 600)]
    timeout: u64,
    /// Whether it goes to the background at once.
    #[arg(default)]
    background: bool,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let _ = description;
    if cx.is_dry_run() {
        return Ok(ToolOutput::plain(format!(
            "dry run, nothing runs: would run `{command}`"
        )));
    }
    let process = cx.process();
    let sandbox = process.sandbox().await?;
    let commands = SessionCommands::from_context(cx);
    let foreground = if background {
        FIRST_LOOK
    } else {
        Duration::from_secs(timeout)
    };
    let run = ShellRun {
        cx,
        sandbox,
        commands: &commands,
        shell: ShellProgram::from_check(cx, &**sandbox)?,
        command,
        foreground,
    };
    run.run().await
}

/// A call that runs a command line.
struct ShellRun<'c> {
    cx: &'c ToolContext,
    sandbox: &'c Arc<dyn Sandbox>,
    commands: &'c SessionCommands,
    shell: ShellProgram,
    command: &'c str,
    /// How long the command is followed.
    foreground: Duration,
}

impl ShellRun<'_> {
    /// Runs the command, and runs it once more if it failed because of a folder that the user then allows.
    async fn run(&self) -> Result<ToolOutput, ToolError> {
        let refusals = Refusals::watch(&**self.sandbox);
        let begun = Instant::now();
        let mut child = start(self.sandbox, self.commands, &self.shell, self.command, None).await?;
        let mut followed = self.follow(&mut child).await?;
        let mut took = begun.elapsed();
        let mut notes = Vec::new();
        let asking = blocked::ask_for_folder(self.cx, self.sandbox, self.command, &followed);
        let asked = tokio::select! {
            asked = asking => asked,
            () = self.cx.cancellation().cancelled() => {
                return Err(Interruption::cancelled(true).into());
            }
        };
        if let Some(asked) = asked {
            let again = match asked.granted() {
                Some(granted) => Some(self.run_again(granted).await?),
                None => None,
            };
            notes.push(asked.note(again.as_ref().and_then(|again| again.as_ref().err())));
            if let Some(Ok((outcome, duration))) = again {
                (followed, took) = (outcome, duration);
            }
        }
        notes.extend(refusals.notes());
        let output = report(&**self.sandbox, &followed, took, "(no output)")?;
        Ok(notes.into_iter().fold(output, ToolOutput::with_note))
    }

    /// Runs the command with one more folder. The inner error is that of a sandbox that cannot show the folder.
    async fn run_again(&self, granted: Grant) -> Result<SecondRun, ToolError> {
        let begun = Instant::now();
        let (commands, shell) = (self.commands, &self.shell);
        let started = start(self.sandbox, commands, shell, self.command, Some(granted)).await;
        let mut child = match started {
            Ok(child) => child,
            Err(error) => return Ok(Err(error)),
        };
        let followed = self.follow(&mut child).await?;
        Ok(Ok((followed, begun.elapsed())))
    }

    /// Follows a command, which then goes on in the background if it has not ended.
    async fn follow(&self, child: &mut Child) -> Result<FollowOutcome, ToolError> {
        let listener = FollowOptions {
            progress: self.cx.progress(),
            budget: self.cx.result_budget().min(MAX_OUTPUT_CHARS),
        };
        let until = before_deadline(Instant::now() + self.foreground, self.cx);
        let following = follow(child, Cursor::default(), until, listener);
        let followed = tokio::select! {
            followed = following => followed?,
            // Dropping `child` kills the command, as dropping the whole call does.
            () = self.cx.cancellation().cancelled() => {
                return Err(Interruption::cancelled(true).into());
            }
        };
        child.detach();
        let sandbox = &**self.sandbox;
        self.commands.remember(sandbox, child.id(), followed.cursor);
        Ok(followed)
    }
}

/// The result of the second run, or why there was none.
type SecondRun = Result<(FollowOutcome, Duration), SandboxError>;

/// The shell that a call uses.
struct ShellProgram {
    dialect: Dialect,
    path: Option<String>,
}

impl ShellProgram {
    /// Returns the shell that the call was judged for. A call that was not judged, because the function was called
    /// directly, uses bash, as its description states.
    fn from_check(cx: &ToolContext, sandbox: &dyn Sandbox) -> Result<Self, ToolError> {
        let Some(judged) = cx.check_value::<JudgedShell>() else {
            return Ok(Self {
                dialect: Dialect::Bash,
                path: None,
            });
        };
        Ok(Self {
            dialect: judged.dialect,
            path: judged.path_in(sandbox)?.map(str::to_owned),
        })
    }

    fn program(&self) -> &'static str {
        match self.dialect {
            Dialect::Bash => "bash",
            _ => "sh",
        }
    }
}

/// Starts a command line in the shell that it was judged for, under a unique name. A command that was judged as
/// read-only is restricted by the code that runs the call.
async fn start(
    sandbox: &Arc<dyn Sandbox>,
    commands: &SessionCommands,
    shell: &ShellProgram,
    command: &str,
    granted: Option<Grant>,
) -> Result<Child, SandboxError> {
    loop {
        let id = commands.name()?;
        let mut spec = ProcessSpec::new(id, [shell.program(), "-c", command]);
        let path = shell.path.clone();
        spec.environment
            .extend(path.map(|path| ("PATH".to_owned(), path)));
        let spawned = match granted.clone() {
            None => Child::spawn(sandbox, spec, OnDrop::Terminate).await,
            Some(granted) => Child::spawn_with(sandbox, spec, OnDrop::Terminate, granted).await,
        };
        match spawned {
            Ok(child) => return Ok(child),
            Err(SandboxError::ProcessExists { .. }) => {}
            Err(error) => {
                // The call was judged for bash, so that it is not run in another shell; the next call is judged for
                // `sh`.
                let is_missing = matches!(error, SandboxError::ProgramNotFound { .. });
                if is_missing && shell.dialect == Dialect::Bash {
                    commands.note_no_bash();
                }
                return Err(error);
            }
        }
    }
}

/// Returns a time at which the result can still be reported.
pub(super) fn before_deadline(moment: Instant, cx: &ToolContext) -> Instant {
    match cx.deadline() {
        Some(deadline) => moment.min(deadline.checked_sub(MARGIN).unwrap_or(deadline)),
        None => moment,
    }
}

fn check(
    cx: &ToolContext,
    command: &str,
    _description: Option<&str>,
    _timeout: &u64,
    _background: &bool,
) -> CheckReport {
    let dialect = if SessionCommands::from_context(cx).lacks_bash() {
        Dialect::Other
    } else {
        Dialect::Bash
    };
    shell::check_for(cx, command, dialect)
}
