//! The commands of a session: their names and read positions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use helve::ToolContext;
use helve::sandbox::{ProcessId, ProcessStatus, Sandbox, SandboxError, SandboxId};

/// The prefix of all command names: other tools run processes in the same sandbox.
const PREFIX: &str = "bash-";
/// The greatest number of commands whose read positions are stored.
const MAX_CURSORS: usize = 1_000;

/// The commands of a session, stored in the session's state.
#[derive(Debug, Default)]
pub(super) struct SessionCommands {
    last_number: AtomicU64,
    lacks_bash: AtomicBool,
    cursors: Mutex<HashMap<(SandboxId, ProcessId), Cursor>>,
}

/// The read position of a command: the next byte of its standard output and of its standard error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cursor(pub(super) [u64; 2]);

impl SessionCommands {
    /// Returns the commands of a call's session.
    pub(super) fn from_context(cx: &ToolContext) -> Arc<Self> {
        cx.session_state().get_or_default()
    }

    /// Reports whether the sandbox has no bash: the analysis of a command line does not apply to another shell.
    pub(super) fn lacks_bash(&self) -> bool {
        self.lacks_bash.load(Ordering::Relaxed)
    }

    /// Records that the sandbox has no bash.
    pub(super) fn note_no_bash(&self) {
        self.lacks_bash.store(true, Ordering::Relaxed);
    }

    /// Generates a name; a collision with another session of the same sandbox is detected when the command starts.
    pub(super) fn name(&self) -> Result<ProcessId, SandboxError> {
        let number = self.last_number.fetch_add(1, Ordering::Relaxed) + 1;
        ProcessId::new(&format!("{PREFIX}{number}"))
    }

    /// Returns the read position of a command.
    pub(super) fn cursor(&self, sandbox: &dyn Sandbox, id: &ProcessId) -> Cursor {
        let read = self.cursors.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (sandbox.id().clone(), id.clone());
        read.get(&key).copied().unwrap_or_default()
    }

    /// Stores the read position of a command.
    pub(super) fn remember(&self, sandbox: &dyn Sandbox, id: &ProcessId, cursor: Cursor) {
        let mut read = self.cursors.lock().unwrap_or_else(PoisonError::into_inner);
        if read.len() >= MAX_CURSORS {
            // The next request for one of these commands starts at the beginning.
            read.clear();
        }
        read.insert((sandbox.id().clone(), id.clone()), cursor);
    }
}

/// Finds the command that a model names.
pub(super) async fn find(sandbox: &dyn Sandbox, id: &str) -> Result<ProcessStatus, LookupError> {
    let list = sandbox.list().await.map_err(LookupError::Sandbox)?;
    let is_ours = |status: &&ProcessStatus| status.id.as_str().starts_with(PREFIX);
    let mut ours = list.iter().filter(is_ours);
    if let Some(found) = ours.clone().find(|status| status.id.as_str() == id) {
        return Ok(found.clone());
    }
    let running: Vec<String> = ours
        .by_ref()
        .filter(|status| status.exit.is_none())
        .map(|status| format!("`{}`", status.id))
        .collect();
    let running = match &*running {
        [] => "no command is running".to_owned(),
        names => format!("running are {}", names.join(", ")),
    };
    Err(LookupError::Command {
        id: id.chars().take(80).collect(),
        running,
    })
}

/// The reason why a command was not found.
#[derive(Debug, thiserror::Error)]
pub(super) enum LookupError {
    /// There is no command with this name.
    #[error("unknown command `{id}`; {running}")]
    Command {
        /// The name.
        id: String,
        /// The existing commands.
        running: String,
    },
    /// The sandbox has failed.
    #[error("the commands of this session cannot be listed")]
    Sandbox(#[source] SandboxError),
}
