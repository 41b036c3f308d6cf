//! Accesses of commands that wait for approval: connections, and folders that the sandbox does not allow.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use tokio::sync::{mpsc, oneshot};

use crate::turn::Record;
use helve_core::sandbox::{
    BlockedAccess, Connection, ConnectionApprover, FolderRequest, GrantScope,
};
use helve_core::tool::{Tool, ToolContext, ToolError};
use helve_core::transcript::{CallKey, TurnId};
use helve_permission::call::CallSite;
use helve_permission::{Decision, Policy};

pub(super) struct HeldAccess {
    pub(super) key: CallKey,
    /// The call that started the last command; a folder may belong to another call of the turn.
    pub(super) site: Arc<CallSite>,
    pub(super) access: AccessRequest,
    pub(super) reply: oneshot::Sender<Result<GrantScope, String>>,
}

/// What a command wants to use.
pub(super) enum AccessRequest {
    Connection(Connection),
    Folder(FolderRequest),
}

impl AccessRequest {
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Connection(connection) => connection.reason(),
            Self::Folder(request) => request.reason(),
        }
    }

    /// Returns the access if the policy of the sandbox does not allow it.
    pub(super) fn blocked(&self) -> Option<BlockedAccess> {
        match self {
            Self::Connection(connection) => connection.blocked(),
            Self::Folder(request) => Some(BlockedAccess::Folder(request.folder.clone())),
        }
    }

    /// Reports whether only a user may answer, for this access alone.
    pub(super) fn is_safety(&self) -> bool {
        match self {
            Self::Connection(connection) => connection.label.is_untrusted(),
            Self::Folder(request) => request.label.is_untrusted(),
        }
    }

    pub(super) fn asked(&self, call: CallKey, reason: String) -> Record {
        match self {
            Self::Connection(connection) => Record::ConnectionAsked {
                call,
                host: connection.host.clone(),
                port: connection.port,
                reason,
                unlisted: !connection.listed,
            },
            Self::Folder(request) => Record::FolderAsked {
                call,
                folder: request.folder.clone(),
                reason,
            },
        }
    }

    pub(super) fn answered(&self, call: CallKey, decision: Decision) -> Record {
        match self {
            Self::Connection(connection) => Record::ConnectionAnswered {
                call,
                host: connection.host.clone(),
                port: connection.port,
                decision,
            },
            Self::Folder(request) => Record::FolderAnswered {
                call,
                folder: request.folder.clone(),
                decision,
            },
        }
    }
}

/// A question about an access, which a posting may answer.
pub(super) struct OpenAccess {
    pub(super) key: CallKey,
    pub(super) posted: oneshot::Sender<Decision>,
}

/// The channel of held accesses; made when the turn starts its first command.
#[derive(Default)]
pub(super) struct HeldAccesses(Option<AccessChannel>);

type AccessChannel = (
    mpsc::UnboundedSender<HeldAccess>,
    mpsc::UnboundedReceiver<HeldAccess>,
);

impl HeldAccesses {
    pub(super) fn is_open(&self) -> bool {
        self.0.is_some()
    }

    pub(super) async fn next(&mut self) -> Option<HeldAccess> {
        self.0.as_mut()?.1.recv().await
    }

    pub(super) fn sender(&mut self) -> mpsc::UnboundedSender<HeldAccess> {
        let (sender, _) = self.0.get_or_insert_with(mpsc::unbounded_channel);
        sender.clone()
    }
}

/// Sends accesses to the driver, on behalf of the last call that started a command.
pub(super) struct TurnApprover {
    pub(super) key: CallKey,
    pub(super) site: Arc<CallSite>,
    pub(super) sender: mpsc::UnboundedSender<HeldAccess>,
}

impl TurnApprover {
    fn turn(&self) -> &TurnId {
        &self.site.origin.turn
    }

    fn send(
        &self,
        key: CallKey,
        access: AccessRequest,
    ) -> BoxFuture<'_, Result<GrantScope, String>> {
        let (reply, answer) = oneshot::channel();
        let held = HeldAccess {
            key,
            site: Arc::clone(&self.site),
            access,
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

impl ConnectionApprover for TurnApprover {
    fn approve(&self, connection: Connection) -> BoxFuture<'_, Result<(), String>> {
        let sent = self.send(self.key, AccessRequest::Connection(connection));
        async move { sent.await.map(|_| ()) }.boxed()
    }

    fn approve_folder(&self, request: FolderRequest) -> BoxFuture<'_, Result<GrantScope, String>> {
        debug_assert_eq!(request.call.turn, *self.turn());
        self.send(request.call.call, AccessRequest::Folder(request))
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
            let turn = self.approver.turn().clone();
            gate.begin_turn(turn.as_str(), Arc::new(self.approver));
            gate.allow_in(turn.as_str(), self.allowed);
        }
        Ok(())
    }
}
