//! Asking about the connections of commands that a served call starts.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::ask::{Questioner, Subject};
use super::work::Work;
use crate::permission::Question;
use crate::sandbox::{Connection, ConnectionApprover, EgressGate};
use crate::tool::ToolContext;

/// A call that answers for the connections of its commands, as long as this is there: afterwards no request is open through
/// which a person could be asked.
pub(super) struct AttachedCall {
    gate: Arc<EgressGate>,
    call: String,
}

impl AttachedCall {
    pub(super) fn to(gate: Arc<EgressGate>, work: &Work, context: &ToolContext) -> Self {
        let session = &work.session;
        let origin = &session.origin;
        // Sessions may share a sandbox.
        let call = format!("{} {}", session.id, origin.call(work.key));
        let question = Question::new(origin.clone(), work.key, &work.made, "")
            .of(session.id.clone(), context.principal().clone())
            .offering(true, Vec::new());
        let questioner = Questioner::of(work);
        let approver = CallApprover {
            questioner,
            question,
        };
        gate.ask_through(&call, Arc::new(approver));
        Self { gate, call }
    }
}

impl Drop for AttachedCall {
    fn drop(&mut self) {
        self.gate.end_turn(&self.call);
    }
}

/// Asks whoever answers the questions of a call.
struct CallApprover {
    questioner: Questioner,
    /// All of the question but the reason.
    question: Question,
}

impl ConnectionApprover for CallApprover {
    fn approve(&self, connection: Connection) -> BoxFuture<'_, Result<(), String>> {
        async move {
            let reason = connection.reason();
            let question = Question {
                reason,
                ..self.question.clone()
            };
            let asking = self.questioner.decide(&question, Subject::Connection);
            asking.await.for_connection()
        }
        .boxed()
    }
}
