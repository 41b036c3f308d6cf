//! The authority of scheduled runs.

use helve_agent::session::{Entry, Sessions, TurnAuthority, TurnStarted};
use helve_agent::turn::{Bounds, Totals};
use helve_core::tool::ToolContext;
use helve_core::transcript::{AgentId, Label, Message, Origin, SessionId, TurnId};
use helve_permission::Policy;
use serde_json::json;

use crate::error::ScheduleError;

/// The turn of a run.
const FIRST_TURN: &str = "t1";

/// Who makes a schedule, and what its runs may do: never more than its maker may when the schedule is made.
///
/// The agent of a run works under its own policy, and within the policies that are recorded here.
#[derive(Debug, Clone)]
pub struct RunAuthority {
    pub(crate) begin: TurnStarted,
    /// The session that makes the schedule.
    pub(crate) session: Option<SessionId>,
}

impl RunAuthority {
    /// Returns the authority of a person, for runs of an agent under a policy and within bounds.
    #[must_use]
    pub fn of_person(agent: impl Into<AgentId>, policy: &Policy, bounds: Bounds) -> Self {
        let origin = Origin::new(agent.into(), TurnId::new(FIRST_TURN));
        let Entry::TurnStarted(mut begin) = Entry::turn_started(&origin, bounds, Vec::new()) else {
            unreachable!("the beginning of a turn is one");
        };
        // The policies of the record bind by themselves; the type can only be made from its fields as JSON.
        let authority = json!({
            "digest": policy.digest(),
            "mode": policy.current_mode(),
            "depth": 0,
            "policies": policy.records(),
        });
        begin.authority = serde_json::from_value::<TurnAuthority>(authority).ok();
        let session = None;
        Self { begin, session }
    }

    /// Returns the authority of the turn that makes a call.
    ///
    /// # Errors
    /// The call belongs to no turn of a session, or its agent works for another one, which may not make schedules.
    pub(crate) async fn of_call(
        sessions: &Sessions,
        context: &ToolContext,
    ) -> Result<Self, ScheduleError> {
        let (session, turn) = (context.session_id(), context.turn_id());
        if session.is_empty() {
            return Err(ScheduleError::Refused {
                reason: "a schedule is made in a recorded session, or with the command `schedule add`",
            });
        }
        let (mut begin, mut is_job) = (None, false);
        let read = sessions.visit(session, u64::MAX, |line| match &line.entry {
            Entry::TurnStarted(started) if started.turn == *turn => begin = Some(started.clone()),
            Entry::Created(about) => is_job = about.job.is_some(),
            _ => {}
        });
        read.await?;
        let begin = begin.filter(|begin| begin.parent_call.is_none() && !is_job);
        let mut begin = begin.ok_or(ScheduleError::Refused {
            reason: "an agent that works for another one makes no schedules; say what should be scheduled in your \
                     answer",
        })?;
        begin.prompt.clear();
        begin.taken_over = None;
        let state = sessions.read(session).await?.session_state;
        begin.label = state.label;
        // What the user has rejected for the session is no part of the policies that the turn began with.
        if let Some(authority) = &mut begin.authority
            && let Some(own) = authority.policies.first_mut()
            && !state.deny.is_empty()
        {
            own.rules.deny.extend(state.deny);
            // A policy of the same digest would not be narrowed.
            authority.digest.clear();
        }
        let session = Some(session.clone());
        Ok(Self { begin, session })
    }
}

/// Returns the beginning of a run, within the bounds of its agent; `None` if they leave nothing.
pub(crate) fn begin_run(
    begin: &TurnStarted,
    bounds: &Bounds,
    prompt: Message,
) -> Option<TurnStarted> {
    let mut within = begin.clone();
    within.bounds = begin.bounds.within(bounds);
    let label: Label = begin.label.clone();
    within.followed_by(TurnId::new(FIRST_TURN), prompt, label, &Totals::default())
}
