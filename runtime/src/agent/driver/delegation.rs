//! Handing a task to another agent, whose turn is driven inside this one.

use futures_util::future::{BoxFuture, FutureExt};

use super::start::{Beginning, begin};
use super::waiting::Happening;
use super::{Driver, TurnReport, TurnStatus, Unrecorded};
use crate::agent::turn::{Bounds, EndReason, Outcome, Record};
use crate::tool::Execution;
use crate::transcript::{AgentId, CallAddress, CallKey, Content, Message};

/// What a delegate that was let go of waits for.
#[derive(Debug, Clone, Default)]
pub(super) struct Parked {
    pub(super) approvals: Vec<CallAddress>,
    pub(super) external: Vec<CallAddress>,
}

impl Driver<'_> {
    /// Has another agent work for a call, once it is written down that it does.
    pub(super) async fn delegate(
        &mut self,
        key: CallKey,
        agent: &AgentId,
        bounds: Bounds,
    ) -> Result<bool, Unrecorded> {
        self.record(vec![Record::Started { calls: vec![key] }])
            .await?;
        let happening = match self.child(key, agent, bounds) {
            Ok(report) => report.map(move |report| happening(key, report)).boxed(),
            Err(why) => {
                let outcome = Outcome::error(Content::text(why));
                let record = Record::Finished { call: key, outcome };
                futures_util::future::ready(Happening::Recorded(vec![record])).boxed()
            }
        };
        self.working.push(happening);
        Ok(true)
    }
}

impl<'a> Driver<'a> {
    fn child(
        &mut self,
        key: CallKey,
        name: &AgentId,
        bounds: Bounds,
    ) -> Result<BoxFuture<'a, TurnReport>, String> {
        let parent = self.agent;
        let agent = parent
            .delegates
            .get(name)
            .ok_or_else(|| format!("there is no agent `{name}` here to hand the task to"))?;
        let task = self.task(key).ok_or("the call names no task")?;
        let origin = self.origin().delegate(key, name.clone());
        let stop = self.context.cancellation().child_token();
        self.stop_calls.insert(key, stop.clone());
        let context = self.context.derive().cancellation(stop).build();
        let beginning = Beginning {
            bounds: bounds.within(&agent.bounds),
            conversation: vec![Message::user(task)],
            origin,
        };
        let policy = agent.policy.for_session();
        policy.grant((*self.policy.granted()).clone());
        let (recorder, teller) = (self.recorder.clone(), self.teller.clone());
        Ok(begin(agent, context, recorder, teller, policy, beginning))
    }

    fn task(&self, key: CallKey) -> Option<String> {
        let call = self.turn.call(key)?;
        let tool = self.agent.find(&call.name).ok()?;
        match tool.execution(&call.arguments) {
            Execution::Delegate { task, .. } => Some(task),
            _ => None,
        }
    }
}

fn happening(key: CallKey, report: TurnReport) -> Happening {
    let reason = match &report.status {
        TurnStatus::Ended(reason) => *reason,
        TurnStatus::Waiting {
            approvals,
            external,
        } => {
            let parked = Parked {
                approvals: approvals.clone(),
                external: external.clone(),
            };
            return Happening::Parked(key, parked);
        }
        TurnStatus::Unrecorded => return Happening::Unrecorded(report.error),
    };
    let text = report.text();
    let outcome = match (reason, &report.error) {
        (EndReason::Finished, _) => Outcome::ok(Content::text(text)),
        (reason, error) => {
            let mut told = format!("The agent did not finish: {reason}");
            if let Some(error) = error {
                told.push_str(&format!(": {error}"));
            }
            if !text.is_empty() {
                told.push_str(&format!(". The last that it said: {text}"));
            }
            Outcome::error(Content::text(told))
        }
    };
    Happening::Recorded(vec![Record::Finished {
        call: key,
        outcome: outcome.used(report.totals),
    }])
}
