//! Ending a command: asked first, then not.

use std::sync::Arc;
use std::time::Duration;

use helve::sandbox::{ProcessId, ProcessStatus, Sandbox, SandboxError, Signal};

/// How long a command has to end by itself when it is asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How long the kernel has to end it then.
const DEATH: Duration = Duration::from_secs(5);

/// How a command that was to end came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// It had ended before.
    Before,
    /// It ended when it was asked to.
    Asked,
    /// It did not, and was killed.
    Killed,
}

/// Ends a command with all that it started.
pub(super) async fn end(
    sandbox: &dyn Sandbox,
    id: &ProcessId,
) -> Result<(Ended, ProcessStatus), SandboxError> {
    let before = sandbox.status(id, Duration::ZERO).await?;
    if before.exit.is_some() {
        // What it left running has nobody else who would end it.
        sandbox.signal(id, Signal::Kill).await?;
        return Ok((Ended::Before, before));
    }
    sandbox.signal(id, Signal::Terminate).await?;
    let asked = sandbox.status(id, GRACE).await?;
    sandbox.signal(id, Signal::Kill).await?;
    if asked.exit.is_some() {
        return Ok((Ended::Asked, asked));
    }
    Ok((Ended::Killed, sandbox.status(id, DEATH).await?))
}

/// Ends a command whose call was dropped before anybody was told of it.
pub(super) struct EndOnDrop {
    command: Option<(Arc<dyn Sandbox>, ProcessId)>,
}

impl EndOnDrop {
    pub(super) fn new(sandbox: &Arc<dyn Sandbox>, id: &ProcessId) -> Self {
        Self {
            command: Some((Arc::clone(sandbox), id.clone())),
        }
    }

    /// Lets the command go on: somebody knows of it.
    pub(super) fn keep(mut self) {
        self.command = None;
    }
}

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        let Some((sandbox, id)) = self.command.take() else {
            return;
        };
        // Without a runtime nothing goes on anyway: the sandbox ends all with its last handle.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let _ = end(&*sandbox, &id).await;
            });
        }
    }
}
