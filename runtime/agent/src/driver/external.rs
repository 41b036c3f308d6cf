//! Calls whose result comes from outside the process, or from the user that this process can ask.

use std::slice::from_mut;

use futures_util::future::FutureExt;
use tokio_util::sync::CancellationToken;

use super::driver_event::DriverEvent;
use super::round_calls::QuestionState;
use super::state::{Driver, Recorded};
use crate::EventKind;
use crate::turn::Record;
use helve_core::transcript::CallKey;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Submits calls that are run outside the process, after the submission is recorded.
    pub(super) async fn submit_calls(&mut self, calls: Vec<CallKey>) -> Recorded<bool> {
        let mut submitted = Record::Submitted { calls };
        self.record_all(from_mut(&mut submitted)).await?;
        for &key in submitted.calls() {
            if let Some(call) = self.turn.call(key)
                && !self.runs_here(key)
            {
                let requested = EventKind::ExternalRequested {
                    call: call.id.clone(),
                    name: call.name.clone(),
                    arguments: call.arguments.clone(),
                };
                self.events.emit_for(key, requested);
            }
        }
        Ok(true)
    }

    /// Runs submitted calls whose tool can run here, too. The first result is used: that of the tool, or the one that
    /// another process posts.
    pub(super) fn run_submitted(&mut self, calls: Vec<CallKey>) {
        for key in calls {
            if self.calls.entry(key).question.is_some() || !self.runs_here(key) {
                continue;
            }
            let answered_elsewhere = CancellationToken::new();
            let question = QuestionState::Asked(answered_elsewhere.clone());
            self.calls.entry(key).question = Some(question);
            let Some(run) = self.run_call(key) else {
                continue;
            };
            // An interrupt withdraws the call; the tool has no result of its own then.
            let interrupted = self.context.lazy_cancellation();
            self.in_flight.push(
                async move {
                    tokio::select! {
                        biased;
                        () = answered_elsewhere.cancelled() => DriverEvent::Records(Vec::new()),
                        () = interrupted.cancelled() => DriverEvent::Records(Vec::new()),
                        event = run => event,
                    }
                }
                .boxed(),
            );
        }
    }

    /// Reports whether the tool of an external call can run in this process, such as one that asks the user.
    fn runs_here(&self, key: CallKey) -> bool {
        let call = self.turn.call(key);
        let tool = call.and_then(|call| self.tools.visible.find_any(&call.name));
        tool.is_some_and(|tool| !tool.is_external()) && !self.agent.approver.defers_external_calls()
    }
}
