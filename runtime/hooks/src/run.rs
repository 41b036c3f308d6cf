//! Runs the commands of hooks.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::event::HookEvent;
use crate::handler::{HookCommand, HookHandler, OnFailure};
use crate::merge::merge;
use crate::output::{self, CommandOutput, HookDecision, HookOutcome};
use crate::scripts;
use futures_util::future::join_all;
use helve_core::capability::{Command, Process, Requires};
use helve_core::sandbox::{Access, Exit, LazySandbox};
use helve_core::tool::chain_text;

/// The maximum size of an output stream, in bytes.
const MAX_OUTPUT_BYTES: usize = 256 << 10;

/// How long the sandbox has, beyond the time limit of a hook, to report that it has ended the command.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

const REQUIRES: Requires = Requires {
    process: true,
    ..Requires::NONE
};

/// Runs hooks in the sandbox of their settings.
#[derive(Clone)]
pub(crate) struct HookRunner {
    pub(crate) project: PathBuf,
    pub(crate) sandbox: Arc<LazySandbox>,
    /// The sandbox of hooks that are not confined.
    pub(crate) unconfined: Option<Arc<LazySandbox>>,
    /// Whether commands in the sandbox cannot write, as in plan mode.
    pub(crate) is_read_only: bool,
}

impl HookRunner {
    /// Runs hooks side by side, and merges their outcomes in the order of the hooks.
    pub(crate) async fn run_all(&self, handlers: Vec<HookHandler>, input: &str) -> HookOutcome {
        let (background, waited): (Vec<_>, Vec<_>) = handlers
            .into_iter()
            .partition(|handler| handler.background && handler.is_active());
        for handler in background {
            let (runner, input) = (self.clone(), input.to_owned());
            tokio::spawn(async move {
                if let Err(why) = runner.run_command(&handler, &input).await {
                    tracing::warn!(hook = %handler.source, "the hook failed: {why}");
                }
            });
        }
        let running = waited.iter().map(|handler| self.run(handler, input));
        merge(join_all(running).await)
    }

    /// Runs a hook. A failure blocks where the hook decides.
    pub(crate) async fn run(&self, handler: &HookHandler, input: &str) -> HookOutcome {
        if let Some(why) = withheld(handler) {
            return failed(handler.event.can_block(), why);
        }
        let ran = match self.run_command(handler, input).await {
            Ok(ran) => output::read(handler.event, &ran),
            Err(why) => Err(why),
        };
        let why = match ran {
            Ok(outcome) => return outcome,
            Err(why) => why,
        };
        let (command, source) = (&handler.command, &handler.source);
        let message = format!("the hook `{command}` ({source}) failed: {why}");
        failed(handler.on_failure == OnFailure::Block, message)
    }

    /// Runs the command of a hook to its end.
    async fn run_command(
        &self,
        handler: &HookHandler,
        input: &str,
    ) -> Result<CommandOutput, String> {
        if let Some(why) = withheld(handler) {
            return Err(why);
        }
        let mut command = self.command(handler, input);
        let sandbox = match (handler.sandboxed, &self.unconfined) {
            (false, Some(unconfined)) => unconfined,
            _ => {
                if self.is_read_only {
                    command.access = Access::Read;
                }
                &self.sandbox
            }
        };
        let process = Process::new(&REQUIRES, Some(Arc::clone(sandbox)));
        let running = process.run(command);
        let limit = handler.timeout + GRACE;
        let ran = match tokio::time::timeout(limit, running).await {
            Ok(ran) => ran.map_err(|error| chain_text(&error))?,
            Err(_) => return Err(timed_out(handler)),
        };
        if ran.exit == Exit::TimedOut {
            return Err(timed_out(handler));
        }
        if ran.truncated {
            let most = MAX_OUTPUT_BYTES >> 10;
            return Err(format!("it wrote more than {most} KiB"));
        }
        Ok(CommandOutput {
            code: match ran.exit {
                Exit::Code(code) => Some(code),
                _ => None,
            },
            ended: ran.exit.to_string(),
            stdout: String::from_utf8_lossy(&ran.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&ran.stderr).into_owned(),
        })
    }

    fn command(&self, handler: &HookHandler, input: &str) -> Command {
        let words = match &handler.command {
            HookCommand::Shell(line) => vec!["sh".to_owned(), "-c".to_owned(), line.clone()],
            HookCommand::Program(words) => words.clone(),
        };
        let mut words = words.into_iter();
        let program = words.next().unwrap_or_default();
        let mut command = Command::new(program, words);
        command.stdin = format!("{input}\n").into_bytes();
        command.timeout = Some(handler.timeout);
        command.max_output_bytes = MAX_OUTPUT_BYTES;
        let project = self.project.to_string_lossy().into_owned();
        command
            .environment
            .insert("CLAUDE_PROJECT_DIR".to_owned(), project);
        if handler.event == HookEvent::SessionStart {
            // Scripts append variables for later commands to this file, which is not supported, and fail without it.
            command
                .environment
                .insert("CLAUDE_ENV_FILE".to_owned(), "/dev/null".to_owned());
        }
        command
    }
}

/// Returns why a hook blocks instead of running: it is not what the user has accepted.
fn withheld(handler: &HookHandler) -> Option<String> {
    let mut scripts = handler.scripts.iter();
    let changed = scripts.find(|(script, digest)| scripts::digest(script).as_ref() != Some(digest));
    let changed = changed.map(|(script, _)| {
        let (command, source, script) = (&handler.command, &handler.source, script.display());
        format!(
            "the hook `{command}` ({source}) failed: `{script}` has changed since the hooks were read"
        )
    });
    handler.held.clone().or(changed)
}

/// Returns the outcome of a hook that failed: it blocks, or the failure is reported.
fn failed(blocks: bool, message: String) -> HookOutcome {
    match blocks {
        true => HookOutcome {
            decision: Some(HookDecision::Deny),
            reason: Some(message),
            ..HookOutcome::default()
        },
        false => HookOutcome {
            messages: vec![message],
            ..HookOutcome::default()
        },
    }
}

fn timed_out(handler: &HookHandler) -> String {
    let seconds = handler.timeout.as_secs_f64();
    format!("it did not end within {seconds} s")
}
