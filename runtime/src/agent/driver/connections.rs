//! Asking about connections that commands make after untrusted text was read.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};

use super::Driver;
use crate::agent::spec::Agent;
use crate::agent::turn::Outcome;
use crate::call::CallSite;
use crate::permission::{Answer, Approver, Decision, Policy, Question, label_of_commands};
use crate::sandbox::{Connection, ConnectionApprover, Egress, EgressGate};
use crate::tool::{Principal, Tool, ToolContext, ToolError};
use crate::transcript::{CallKey, SessionId};

/// Asks the agent's approver, in the name of the call that started a command last.
struct Asker {
    approver: Arc<dyn Approver>,
    session: SessionId,
    principal: Principal,
    key: CallKey,
    site: CallSite,
}

impl ConnectionApprover for Asker {
    fn approve(&self, connection: Connection) -> BoxFuture<'_, Result<(), String>> {
        async move {
            let Connection {
                host, port, label, ..
            } = connection;
            let origin = label.origin().unwrap_or_default();
            let reason = format!(
                "a command connects to `{host}:{port}`, and the model has read text from {origin}, which may try to steer it"
            );
            let site = &self.site;
            let question = Question::new(site.origin.clone(), self.key, &site.call, reason)
                .of(self.session.clone(), self.principal.clone())
                .offering(true, Vec::new());
            match self.approver.ask(&question).await {
                Answer::Decided(decision) if decision.is_allowed() => Ok(()),
                Answer::Decided(Decision::Unanswered { reason }) => Err(reason),
                Answer::Decided(decision) => Err(match decision.message() {
                    Some(message) => format!("the user rejected it: {message}"),
                    None => "the user rejected it".to_owned(),
                }),
                Answer::Deferred => Err("nobody can answer while the command waits".to_owned()),
            }
        }
        .boxed()
    }
}

/// The gate through which the commands of a call connect.
pub(super) struct Gate(Option<Arc<EgressGate>>);

impl Gate {
    /// The gate of a call that starts no commands, or does not run.
    pub(super) const NONE: Self = Self(None);

    /// Tells the gate what was read, and sets its approver, before a call runs that starts commands.
    ///
    /// # Errors
    /// Why the call must not run.
    pub(super) async fn of(
        agent: &Agent,
        policy: &Policy,
        tool: &dyn Tool,
        (key, site): (CallKey, &CallSite),
        context: &ToolContext,
    ) -> Result<Self, ToolError> {
        let gate = policy.guard_commands(tool, context).await?;
        if let Some(gate) = &gate {
            let asker = Asker {
                approver: Arc::clone(&agent.approver),
                session: context.session_id().clone(),
                principal: context.principal().clone(),
                key,
                site: site.clone(),
            };
            gate.ask_through(site.origin.turn.as_str(), Arc::new(asker));
        }
        Ok(Self(gate))
    }

    /// Adds to what came of the call that its commands reached the network.
    pub(super) fn label(&self, outcome: Outcome, tool: &str) -> Outcome {
        match &self.0 {
            Some(gate) => outcome.joined(&label_of_commands(gate, tool)),
            None => outcome,
        }
    }
}

impl<'a, 's: 'a> Driver<'a, 's> {
    fn gate(&self) -> Option<Arc<EgressGate>> {
        let sandbox = self.context.grants().sandbox.as_ref()?.peek()?;
        match sandbox.egress() {
            Egress::Gated(gate) => Some(gate),
            _ => None,
        }
    }

    /// Has commands that run already be held as soon as something untrusted was read.
    pub(super) fn hold_connections(&self) {
        if self.policy.asks_after_untrusted()
            && let Some(gate) = self.gate()
        {
            gate.join_label(self.turn.label());
        }
    }

    /// Removes the approver of the turn from the gate.
    pub(super) fn release_gate(&self) {
        if let Some(gate) = self.gate() {
            gate.end_turn(self.origin().turn.as_str());
        }
    }
}
