//! Connections of commands that wait for approval.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use tokio::sync::{mpsc, oneshot};

use helve_core::sandbox::{Connection, ConnectionApprover};
use helve_core::tool::{Tool, ToolContext, ToolError};
use helve_core::transcript::CallKey;
use helve_permission::Policy;
use helve_permission::call::CallSite;

pub(super) struct HeldConnection {
    pub(super) key: CallKey,
    pub(super) site: Arc<CallSite>,
    pub(super) connection: Connection,
    pub(super) reply: oneshot::Sender<Result<(), String>>,
}

/// The channel of held connections; made when the turn starts its first command.
#[derive(Default)]
pub(super) struct HeldConnections(Option<ConnectionChannel>);

type ConnectionChannel = (
    mpsc::UnboundedSender<HeldConnection>,
    mpsc::UnboundedReceiver<HeldConnection>,
);

impl HeldConnections {
    pub(super) fn is_open(&self) -> bool {
        self.0.is_some()
    }

    pub(super) async fn next(&mut self) -> Option<HeldConnection> {
        self.0.as_mut()?.1.recv().await
    }

    pub(super) fn sender(&mut self) -> mpsc::UnboundedSender<HeldConnection> {
        let (sender, _) = self.0.get_or_insert_with(mpsc::unbounded_channel);
        sender.clone()
    }
}

/// Sends connections to the driver, on behalf of the last call that started a command.
pub(super) struct TurnApprover {
    pub(super) key: CallKey,
    pub(super) site: Arc<CallSite>,
    pub(super) sender: mpsc::UnboundedSender<HeldConnection>,
}

impl ConnectionApprover for TurnApprover {
    fn approve(&self, connection: Connection) -> BoxFuture<'_, Result<(), String>> {
        let (reply, answer) = oneshot::channel();
        let held = HeldConnection {
            key: self.key,
            site: Arc::clone(&self.site),
            connection,
            reply,
        };
        let sent = self.sender.send(held);
        async move {
            let over = || "the turn is over".to_owned();
            sent.map_err(|_| over())?;
            answer.await.unwrap_or_else(|_| Err(over()))
        }
        .boxed()
    }
}

/// The data that the gate needs before a call that starts commands runs.
pub(super) struct GateSetup {
    pub(super) approver: TurnApprover,
    /// The connections that were allowed earlier in the turn, by this process or another.
    pub(super) allowed: Vec<(String, u16)>,
}

impl GateSetup {
    /// Passes the label of the conversation to the gate, and sets its approver.
    ///
    /// # Errors
    /// The call must not run.
    pub(super) async fn apply(
        self,
        policy: &Policy,
        tool: &dyn Tool,
        context: &ToolContext,
    ) -> Result<(), ToolError> {
        if let Some(gate) = policy.guard_commands(tool, context).await? {
            let turn = self.approver.site.origin.turn.clone();
            gate.begin_turn(turn.as_str(), Arc::new(self.approver));
            gate.allow_in(turn.as_str(), self.allowed);
        }
        Ok(())
    }
}
