//! Approval of the accesses of commands: connections after untrusted text was read, and hosts and folders that the
//! sandbox does not allow.

use std::sync::Arc;

use futures_util::future::FutureExt;
use tokio::sync::oneshot;

use super::driver_event::{DriverEvent, RareEvent};
use super::held_access::{AccessRequest, GateSetup, HeldAccess, OpenAccess, TurnApprover};
use super::state::{Driver, Recorded};
use crate::EventKind;
use crate::session::Posting;
use crate::spec::Agent;
use helve_core::sandbox::GrantScope;
use helve_core::tool::Tool;
use helve_core::transcript::CallKey;
use helve_permission::call::{CallSite, catch_panics};
use helve_permission::{Answer, Decision, Mode, Question, RuleScope, egress_gates};

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
        // A host that no rule allows was allowed for one command.
        let allowed = asked.filter(|asked| asked.allowed == Some(true) && !asked.unlisted);
        Some(GateSetup {
            allowed: allowed
                .map(|asked| (asked.host.clone(), asked.port))
                .collect(),
            approver: TurnApprover {
                key,
                site: Arc::clone(site),
                sender: self.held_accesses.sender(),
            },
        })
    }

    /// Asks about an access after the question is recorded.
    pub(super) async fn ask_about_access(&mut self, held: HeldAccess) -> Recorded {
        if self.policy.current_mode() == Mode::DontAsk && held.access.blocked().is_some() {
            let why = "the mode `dont_ask` asks no questions".to_owned();
            let _ = held.reply.send(Err(why));
            return Ok(());
        }
        let (key, reason) = (held.key, held.access.reason());
        let site = self
            .call_site(key)
            .unwrap_or_else(|| Arc::clone(&held.site));
        let (session, principal) = (self.context.session_id(), self.context.principal());
        let question = Question::new(site.origin.clone(), key, &site.call, reason.clone())
            .with_session(session.clone(), principal.clone())
            .with_suggestions(held.access.is_safety(), Vec::new())
            .with_delegators(self.authority.callers.clone())
            .with_blocked(held.access.blocked());
        self.record_one(held.access.asked(key, reason)).await?;
        let (posted, answer) = oneshot::channel();
        self.open_accesses.retain(|open| !open.posted.is_closed());
        self.open_accesses.push(OpenAccess { key, posted });
        let answer = self.recorder.is_recording().then_some(answer);
        self.in_flight
            .push(ask_approver(self.agent, question, held, answer).boxed());
        Ok(())
    }

    /// Allows or denies an access after the answer is recorded.
    pub(super) async fn answer_access(&mut self, held: HeldAccess, decision: Decision) -> Recorded {
        self.open_accesses.retain(|open| !open.posted.is_closed());
        let record = held.access.answered(held.key, decision.clone());
        self.record_one(record).await?;
        let answer = match decision.connection_result() {
            Ok(()) => Ok(self.grant_access(&held, &decision).await),
            Err(why) => Err(why),
        };
        // The command may have given up the connection.
        let _ = held.reply.send(answer);
        Ok(())
    }

    /// Gives a posted answer to the question about an access of a running command, and reports whether there is one.
    pub(super) fn answer_open_access(&mut self, posting: &Posting) -> bool {
        let Posting::Answer { call, decision } = posting else {
            return false;
        };
        let is_it = |open: &OpenAccess| open.key == call.call && !open.posted.is_closed();
        let Some(place) = self.open_accesses.iter().position(is_it) else {
            return false;
        };
        let open = self.open_accesses.swap_remove(place);
        open.posted.send(decision.clone()).is_ok()
    }

    /// Allows an access for as long as the decision says, and as long as the question offered.
    async fn grant_access(&mut self, held: &HeldAccess, decision: &Decision) -> GrantScope {
        let is_lasting = !held.access.is_safety() && self.authority.callers.is_empty();
        let (Some(scope), Some(blocked), true) =
            (decision.scope(), held.access.blocked(), is_lasting)
        else {
            return GrantScope::Once;
        };
        if let AccessRequest::Connection(connection) = &held.access {
            for gate in egress_gates(self.context) {
                gate.allow_in_session(&connection.host, connection.port);
            }
        }
        let why = match (&self.agent.access_store, scope) {
            (_, RuleScope::Session) => return GrantScope::Session,
            (_, RuleScope::Project) => "the settings of a project are not changed".to_owned(),
            (None, RuleScope::User) => "no settings are attached".to_owned(),
            (Some(store), RuleScope::User) => {
                // Another process may hold the lock of the file; running calls continue in the meantime.
                let saved = self.in_flight.drive_while(store.save(&blocked)).await;
                match saved {
                    Ok(()) => return GrantScope::Session,
                    Err(why) => why,
                }
            }
        };
        let message = format!("a command may {blocked} in this session only: {why}");
        self.events
            .emit_for(held.key, EventKind::Warning { message });
        GrantScope::Session
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

/// Asks the approver, until the command gives up the access, or the answer is posted.
async fn ask_approver(
    agent: &Agent,
    question: Question,
    mut held: HeldAccess,
    posted: Option<oneshot::Receiver<Decision>>,
) -> DriverEvent {
    let unanswered = |reason: &str| Decision::Unanswered {
        reason: reason.to_owned(),
    };
    let can_wait = posted.is_some();
    let posted = async {
        match posted {
            Some(posted) => posted
                .await
                .unwrap_or_else(|_| unanswered("the turn is over")),
            None => std::future::pending().await,
        }
    };
    let asked = async {
        match catch_panics("the approver", agent.approver.ask(&question)).await {
            Ok(Answer::Decided(decision)) => decision,
            Ok(Answer::Deferred) if can_wait => std::future::pending().await,
            Ok(Answer::Deferred) => {
                unanswered("the question was deferred, but the command cannot wait")
            }
            Ok(Answer::Edited { .. }) => unanswered("an access has no arguments to change"),
            Err(reason) => Decision::Unanswered { reason },
        }
    };
    let decision = tokio::select! {
        biased;
        decision = posted => decision,
        decision = asked => decision,
        () = held.reply.closed() => unanswered("the command gave it up before the answer"),
    };
    DriverEvent::Rare(RareEvent::AccessDecided(Box::new(held), decision))
}
