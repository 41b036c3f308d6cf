//! Approval of the connections that commands make after untrusted text was read.

use std::sync::Arc;

use futures_util::future::FutureExt;

use super::driver_event::{DriverEvent, RareEvent};
use super::held_connections::{GateSetup, HeldConnection, TurnApprover};
use super::state::{Driver, Recorded};
use crate::spec::Agent;
use crate::turn::Record;
use helve_core::tool::Tool;
use helve_core::transcript::CallKey;
use helve_permission::call::{CallSite, catch_panics};
use helve_permission::{Answer, Decision, Question, egress_gates};

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Returns the pass for the gate before a call runs; `None` if the tool starts no commands.
    pub(super) fn gate_setup(
        &mut self,
        key: CallKey,
        site: &Arc<CallSite>,
        tool: Option<&dyn Tool>,
    ) -> Option<GateSetup> {
        tool.filter(|tool| tool.spec().requires.process)?;
        let asked = self.turn.connections().iter();
        let allowed = asked.filter(|asked| asked.allowed == Some(true));
        Some(GateSetup {
            allowed: allowed
                .map(|asked| (asked.host.clone(), asked.port))
                .collect(),
            approver: TurnApprover {
                key,
                site: Arc::clone(site),
                sender: self.held_connections.sender(),
            },
        })
    }

    /// Asks about a connection after the question is recorded.
    pub(super) async fn ask_about_connection(&mut self, held: HeldConnection) -> Recorded {
        let (key, site, connection) = (held.key, &held.site, &held.connection);
        let reason = connection.reason();
        let asked = Record::ConnectionAsked {
            call: key,
            host: connection.host.clone(),
            port: connection.port,
            reason: reason.clone(),
        };
        let (session, principal) = (self.context.session_id(), self.context.principal());
        let question = Question::new(site.origin.clone(), key, &site.call, reason)
            .with_session(session.clone(), principal.clone())
            .with_suggestions(true, Vec::new())
            .with_delegators(self.authority.callers.clone());
        self.record_one(asked).await?;
        self.in_flight
            .push(ask_approver(self.agent, question, held).boxed());
        Ok(())
    }

    /// Allows or denies a connection after the answer is recorded.
    pub(super) async fn answer_connection(
        &mut self,
        held: HeldConnection,
        decision: Decision,
    ) -> Recorded {
        let answered = Record::ConnectionAnswered {
            call: held.key,
            host: held.connection.host,
            port: held.connection.port,
            decision: decision.clone(),
        };
        self.record_one(answered).await?;
        // The command may have given up the connection.
        let _ = held.reply.send(decision.connection_result());
        Ok(())
    }

    /// Adds the label of the conversation to the policy and, if the label is untrusted, to the gates of the sandboxes,
    /// which then hold the connections of running commands.
    pub(super) fn apply_label(&self) {
        let label = self.turn.label();
        self.policy.join_label(label);
        if label.is_untrusted() {
            self.policy.set_known_urls(self.known_urls());
            if self.policy.asks_after_untrusted() {
                for gate in egress_gates(self.context) {
                    gate.join_label(label);
                }
            }
        }
    }

    /// Removes the approver of the turn from the gates.
    pub(super) fn release_gate(&self) {
        for gate in egress_gates(self.context) {
            gate.end_turn(self.origin().turn.as_str());
        }
    }
}

/// Asks the approver, until the command gives up the connection.
async fn ask_approver(agent: &Agent, question: Question, mut held: HeldConnection) -> DriverEvent {
    let unanswered = |reason: String| Decision::Unanswered { reason };
    let asked = catch_panics("the approver", agent.approver.ask(&question));
    let decision = tokio::select! {
        biased;
        answer = asked => match answer {
            Ok(Answer::Decided(decision)) => decision,
            Ok(Answer::Deferred) => unanswered("the question was deferred, but the command cannot wait".to_owned()),
            Ok(Answer::Edited { .. }) => unanswered("a connection has no arguments to change".to_owned()),
            Err(reason) => unanswered(reason),
        },
        () = held.reply.closed() => unanswered("the connection was closed before the answer".to_owned()),
    };
    DriverEvent::Rare(RareEvent::ConnectionDecided(Box::new(held), decision))
}
