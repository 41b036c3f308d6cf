//! The events of last replies: `Stop`, and `SubagentStop` of an agent that works for another one.

use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::CommandHooks;
use crate::event::HookEvent;
use crate::input::EventTurn;
use crate::output::HookDecision;
use crate::run::GRACE;
use helve_agent::turn::Review;
use helve_agent::{Guard, GuardError, GuardInput, GuardPoint};

const EVENTS: [HookEvent; 2] = [HookEvent::Stop, HookEvent::SubagentStop];

impl CommandHooks {
    /// Runs the hooks of a last reply.
    async fn review(&self, input: &GuardInput<'_>) -> Review {
        let event = match input.origin.parent_call {
            Some(_) => HookEvent::SubagentStop,
            None => HookEvent::Stop,
        };
        let fields: [(&str, Value); 2] = [
            ("stop_hook_active", (input.reviews > 0).into()),
            ("last_assistant_message", input.text.into()),
        ];
        let turn = EventTurn {
            session: input.context.session_id(),
            origin: input.origin,
        };
        let outcome = self.run_event(event, &fields, Some(turn)).await;
        if let Some(why) = &outcome.stop {
            // The turn ends, which is what happens anyway.
            self.report_all(std::slice::from_ref(why));
            return Review::Pass;
        }
        match outcome.decision {
            Some(HookDecision::Deny) => {
                let reason = outcome.reason;
                Review::again(reason.unwrap_or_else(|| "A hook demands another reply.".to_owned()))
            }
            _ => Review::Pass,
        }
    }
}

impl Guard for CommandHooks {
    fn name(&self) -> &str {
        "hooks"
    }

    fn checks(&self, point: GuardPoint) -> bool {
        point == GuardPoint::Reply && EVENTS.into_iter().any(|event| self.has_event(event))
    }

    fn check<'a>(&'a self, input: &'a GuardInput<'a>) -> BoxFuture<'a, Result<Review, GuardError>> {
        Box::pin(async move { Ok(self.review(input).await) })
    }

    fn time_limit(&self) -> Duration {
        let handlers = self.settings().handlers().iter();
        let waited = handlers.filter(|handler| EVENTS.contains(&handler.event));
        let longest = waited.map(|handler| handler.timeout).max();
        longest.unwrap_or_default() + 2 * GRACE
    }

    fn holds_in_delegates(&self) -> bool {
        !self.0.is_of_agent
    }
}
