//! Approval of the network connections of the commands that a served call starts.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::approval::{ApprovalRequester, ApprovalSubject};
use helve_core::sandbox::{Connection, ConnectionApprover, EgressGate};
use helve_permission::Question;

/// Approves the connections of a call's commands until it is dropped: without the open request of the call, the client's
/// user cannot be asked.
pub(super) struct EgressApproval {
    gate: Arc<EgressGate>,
    id: String,
}

impl EgressApproval {
    /// Attaches a call to the gate. The id must be unique among all sessions that share the sandbox. `template` is the
    /// question about a connection without its reason.
    pub(super) fn attach(
        gate: Arc<EgressGate>,
        id: String,
        requester: ApprovalRequester,
        template: Question,
    ) -> Self {
        let approver = CallConnectionApprover {
            requester,
            template,
        };
        gate.begin_turn(&id, Arc::new(approver));
        Self { gate, id }
    }
}

impl Drop for EgressApproval {
    fn drop(&mut self) {
        self.gate.end_turn(&self.id);
    }
}

/// Asks the approver of a call about each connection.
struct CallConnectionApprover {
    requester: ApprovalRequester,
    /// The question without its reason.
    template: Question,
}

impl ConnectionApprover for CallConnectionApprover {
    fn approve(&self, connection: Connection) -> BoxFuture<'_, Result<(), String>> {
        async move {
            let mut question = self.template.clone();
            question.reason = connection.reason();
            let subject = ApprovalSubject::Connection;
            let decision = self.requester.request(&question, subject).await;
            decision.connection_result()
        }
        .boxed()
    }
}
