//! Asking about connections that commands make after untrusted text was read.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use tokio::sync::{mpsc, oneshot};

use super::waiting::{Happening, RareHappening};
use super::{Driver, Unrecorded};
use crate::agent::turn::Record;
use crate::call::{CallSite, catching};
use crate::permission::{Answer, Decision, Policy, Question, gate_of};
use crate::sandbox::{Connection, ConnectionApprover};
use crate::tool::{Tool, ToolContext, ToolError};
use crate::transcript::CallKey;

/// A connection that waits for an answer.
pub(super) struct HeldConnection {
    key: CallKey,
    site: Arc<CallSite>,
    connection: Connection,
    reply: oneshot::Sender<Result<(), String>>,
}

/// Where the driver of a turn takes connections from; none before the turn starts a command.
#[derive(Default)]
pub(super) struct HeldConnections(Option<Channel>);

type Channel = (
    mpsc::UnboundedSender<HeldConnection>,
    mpsc::UnboundedReceiver<HeldConnection>,
);

impl HeldConnections {
    pub(super) fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Waits for a connection.
    pub(super) async fn next(&mut self) -> Option<HeldConnection> {
        self.0.as_mut()?.1.recv().await
    }

    fn sender(&mut self) -> mpsc::UnboundedSender<HeldConnection> {
        let (sender, _) = self.0.get_or_insert_with(mpsc::unbounded_channel);
        sender.clone()
    }
}

/// Has the driver of a turn ask, in the name of the call that started a command last.
struct TurnApprover {
    key: CallKey,
    site: Arc<CallSite>,
    held: mpsc::UnboundedSender<HeldConnection>,
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
        let sent = self.held.send(held);
        async move {
            let over = || "the turn is over".to_owned();
            sent.map_err(|_| over())?;
            answer.await.unwrap_or_else(|_| Err(over()))
        }
        .boxed()
    }
}

/// What the gate is told before a call runs that starts commands.
pub(super) struct GatePass {
    approver: TurnApprover,
    /// What was allowed earlier in the turn, by this process or another.
    allowed: Vec<(String, u16)>,
}

impl GatePass {
    /// Tells the gate what was read, and sets its approver.
    ///
    /// # Errors
    /// Why the call must not run.
    pub(super) async fn show(
        self,
        policy: &Policy,
        tool: &dyn Tool,
        context: &ToolContext,
    ) -> Result<(), ToolError> {
        if let Some(gate) = policy.guard_commands(tool, context).await? {
            let turn = self.approver.site.origin.turn.clone();
            gate.ask_through(turn.as_str(), Arc::new(self.approver));
            gate.allow_in(turn.as_str(), self.allowed);
        }
        Ok(())
    }
}

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Makes what the gate is told before a call of a tool runs; nothing where the tool starts no commands.
    pub(super) fn gate_pass(
        &mut self,
        key: CallKey,
        site: &Arc<CallSite>,
        tool: Option<&dyn Tool>,
    ) -> Option<GatePass> {
        tool.filter(|tool| tool.spec().requires.process)?;
        let asked = self.turn.connections().iter();
        let allowed = asked.filter(|asked| asked.allowed == Some(true));
        Some(GatePass {
            allowed: allowed
                .map(|asked| (asked.host.clone(), asked.port))
                .collect(),
            approver: TurnApprover {
                key,
                site: Arc::clone(site),
                held: self.held.sender(),
            },
        })
    }

    /// Asks about a connection, once it is written down that it is asked about.
    pub(super) async fn ask_about(&mut self, held: HeldConnection) -> Result<(), Unrecorded> {
        let HeldConnection {
            key,
            site,
            connection,
            ..
        } = &held;
        let reason = connection.reason();
        let asked = Record::ConnectionAsked {
            call: *key,
            host: connection.host.clone(),
            port: connection.port,
            reason: reason.clone(),
        };
        let (session, principal) = (self.context.session_id(), self.context.principal());
        let question = Question::new(site.origin.clone(), *key, &site.call, reason)
            .of(session.clone(), principal.clone())
            .offering(true, Vec::new())
            .working_for(self.authority.chain().to_vec());
        self.record_one(asked).await?;
        self.working.push(put(self.agent, question, held).boxed());
        Ok(())
    }

    /// Lets a connection through, or not, once the answer is written down.
    pub(super) async fn answer_held(
        &mut self,
        held: HeldConnection,
        decision: Decision,
    ) -> Result<(), Unrecorded> {
        let answered = Record::ConnectionAnswered {
            call: held.key,
            host: held.connection.host,
            port: held.connection.port,
            decision: decision.clone(),
        };
        self.record_one(answered).await?;
        // Whoever wanted it may have given it up.
        let _ = held.reply.send(decision.for_connection());
        Ok(())
    }

    /// Has commands that run already be held as soon as something untrusted was read.
    pub(super) fn hold_connections(&self) {
        if self.policy.asks_after_untrusted()
            && let Some(gate) = gate_of(self.context)
        {
            gate.join_label(self.turn.label());
        }
    }

    /// Removes the approver of the turn from the gate.
    pub(super) fn release_gate(&self) {
        if let Some(gate) = gate_of(self.context) {
            gate.end_turn(self.origin().turn.as_str());
        }
    }
}

/// Has the agent's approver answer, as long as the connection is wanted.
async fn put(
    agent: &crate::agent::spec::Agent,
    question: Question,
    mut held: HeldConnection,
) -> Happening {
    let unanswered = |reason: String| Decision::Unanswered { reason };
    let asked = catching("the approver", agent.approver.ask(&question));
    let decision = tokio::select! {
        biased;
        answer = asked => match answer {
            Ok(Answer::Decided(decision)) => decision,
            Ok(Answer::Deferred) => unanswered("nobody can answer while the command waits".to_owned()),
            Err(reason) => unanswered(reason),
        },
        () = held.reply.closed() => unanswered("the connection was given up before".to_owned()),
    };
    Happening::Rare(RareHappening::ConnectionDecided(Box::new(held), decision))
}
