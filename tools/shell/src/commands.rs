//! What a session remembers of its commands: their names, and how far they were read.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use helve::ToolContext;
use helve::sandbox::{ProcessId, ProcessStatus, Sandbox, SandboxError, SandboxId};

/// How the name of every command begins: other tools run processes in the same sandbox.
const PREFIX: &str = "bash-";
/// Of how many commands it is remembered how far they were read.
const MAX_CURSORS: usize = 1_000;

/// The commands of a session. It is kept in the session's state, by itself.
#[derive(Debug, Default)]
pub(super) struct SessionCommands {
    last_number: AtomicU64,
    lacks_bash: AtomicBool,
    cursors: Mutex<HashMap<(SandboxId, ProcessId), Cursor>>,
}

/// How far a command was read: the next byte of its standard output and of its standard error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cursor(pub(super) [u64; 2]);

impl SessionCommands {
    /// Returns what the session of a call remembers.
    pub(super) fn from_context(cx: &ToolContext) -> Arc<Self> {
        cx.session_state().get_or_default()
    }

    /// Reports whether the sandbox was found to have no bash: what a command line does in another shell is not proven.
    pub(super) fn lacks_bash(&self) -> bool {
        self.lacks_bash.load(Ordering::Relaxed)
    }

    /// Takes note that the sandbox has no bash.
    pub(super) fn note_no_bash(&self) {
        self.lacks_bash.store(true, Ordering::Relaxed);
    }

    /// Makes a name; one that another session took in the same sandbox is found out at the start.
    pub(super) fn name(&self) -> Result<ProcessId, SandboxError> {
        let number = self.last_number.fetch_add(1, Ordering::Relaxed) + 1;
        ProcessId::new(&format!("{PREFIX}{number}"))
    }

    /// Returns how far a command was read.
    pub(super) fn cursor(&self, sandbox: &dyn Sandbox, id: &ProcessId) -> Cursor {
        let read = self.cursors.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (sandbox.id().clone(), id.clone());
        read.get(&key).copied().unwrap_or_default()
    }

    /// Remembers how far a command was read.
    pub(super) fn remember(&self, sandbox: &dyn Sandbox, id: &ProcessId, cursor: Cursor) {
        let mut read = self.cursors.lock().unwrap_or_else(PoisonError::into_inner);
        if read.len() >= MAX_CURSORS {
            // A request for one of them again reads it from its beginning.
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

/// Why a command was not found.
#[derive(Debug, thiserror::Error)]
pub(super) enum LookupError {
    /// There is none of this name.
    #[error("unknown command `{id}`; {running}")]
    Command {
        /// The name.
        id: String,
        /// Which there are.
        running: String,
    },
    /// The sandbox does not answer.
    #[error("the commands of this session cannot be listed")]
    Sandbox(#[source] SandboxError),
}
