//! The driver of a turn.

use std::sync::Arc;

use super::clock::Clock;
use super::event_emitter::EventEmitter;
use super::held_access::{HeldAccesses, OpenAccess};
use super::in_flight::InFlight;
use super::recorder::SessionRecorder;
use super::review_state::ReviewState;
use super::round_calls::RoundCalls;
use super::stop_token::StopToken;
use super::tool_selection::ToolSelection;
use crate::authority::Authority;
use crate::compaction::RetainedFacts;
use crate::event::projection::TurnProjection;
use crate::exposure::{ExposedTools, MetaToolContext};
use crate::session::{EndedTurn, StoreWatch};
use crate::spec::{Agent, WaitMode};
use crate::turn::Turn;
use helve_core::tool::{LazyToken, ToolContext};
use helve_core::transcript::Origin;
use helve_model::{LentModels, ModelRequest};
use helve_permission::Mode;
use helve_permission::Policy;
use helve_results::Pruning;

/// The driver of one turn.
pub(super) struct Driver<'a, 's> {
    pub(super) agent: &'a Agent,
    pub(super) context: &'a ToolContext,
    /// The policy of the agent within the authority of the turn, with the rules that were granted in the session.
    pub(super) policy: &'a Policy,
    pub(super) authority: &'a Authority,
    pub(super) recorder: SessionRecorder<'s>,
    pub(super) events: &'a EventEmitter,
    /// The turn is borrowed, since it is large.
    pub(super) turn: &'a mut Turn,
    /// The request is shared with the stream of the model only while the stream runs, so that pushing a message copies
    /// nothing.
    pub(super) request: Arc<ModelRequest>,
    pub(super) in_flight: InFlight<'a>,
    /// The calls of the round, with their questions and delegates.
    pub(super) calls: RoundCalls,
    pub(super) reviewing: ReviewState,
    pub(super) tools: ToolSelection<'a>,
    /// The models that the calls may use.
    pub(super) models: Arc<LentModels>,
    /// The facts that the summaries of earlier turns retained.
    pub(super) previous_facts: Option<&'a RetainedFacts>,
    /// The events of the records so far.
    pub(super) projection: &'a mut TurnProjection,
    /// The number of replies that an earlier driver has received: its calls are shown again when they are planned.
    pub(super) earlier_rounds: u32,
    /// The extent to which old results are sent.
    pub(super) pruning: Pruning,
    pub(super) clock: Clock,
    pub(super) stop_model: &'a StopToken,
    /// Stops all running calls; created with the first of them.
    pub(super) stop_calls: Option<LazyToken>,
    /// The accesses of commands that wait to be asked about.
    pub(super) held_accesses: HeldAccesses,
    /// The accesses of commands that are asked about.
    pub(super) open_accesses: Vec<OpenAccess>,
    /// The state of what few turns need; created with the first of it.
    pub(super) rare: Option<Box<RareState>>,
    pub(super) error: Option<String>,
    /// The mode in which the user let the agent go on by approving its plan.
    pub(super) approved_mode: Option<Mode>,
}

/// The state of a driver that few turns need. It is kept outside of the driver, whose size every turn pays for.
#[derive(Default)]
pub(super) struct RareState {
    /// The notices of postings, and whether the turn waits for some.
    pub(super) changes: Option<(bool, StoreWatch)>,
    /// The tasks that are over, of a turn that is not recorded.
    pub(super) ended_tasks: Vec<EndedTurn>,
    /// The error of the last attempt to read postings, if it failed.
    pub(super) postings_error: Option<String>,
}

/// The values that stay the same for a whole turn, so that the work in flight can borrow them.
pub(super) struct TurnEnv<'s> {
    pub(super) context: ToolContext,
    pub(super) recorder: SessionRecorder<'s>,
    pub(super) events: EventEmitter,
    pub(super) authority: Authority,
    /// A delegate has the wait mode of the turn that it works for.
    pub(super) wait_mode: WaitMode,
    pub(super) meta_tools: MetaToolContext,
    pub(super) stop_model: StopToken,
    /// The tool exposure that the session was left with.
    pub(super) exposed_tools: ExposedTools,
    /// The facts that the summaries of earlier turns retained, if there were any summaries.
    pub(super) retained_facts: Option<Box<RetainedFacts>>,
}

impl<'s> TurnEnv<'s> {
    /// Creates the environment of a turn without earlier exposure and summaries.
    pub(super) fn new(
        context: ToolContext,
        recorder: SessionRecorder<'s>,
        events: EventEmitter,
        authority: Authority,
        wait_mode: WaitMode,
    ) -> Self {
        Self {
            context,
            recorder,
            events,
            authority,
            wait_mode,
            meta_tools: MetaToolContext::default(),
            stop_model: StopToken::default(),
            exposed_tools: ExposedTools::default(),
            retained_facts: None,
        }
    }
}

/// An event could not be recorded, so that the driver must not act on it.
pub(super) struct Unrecorded;

/// The result of an operation that is performed only after a record is written.
pub(super) type Recorded<T = ()> = Result<T, Unrecorded>;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Creates the driver of a turn. The request holds the conversation and the system prompt.
    pub(super) fn new(
        agent: &'a Agent,
        env: &'a TurnEnv<'s>,
        turn: &'a mut Turn,
        projection: &'a mut TurnProjection,
        request: ModelRequest,
    ) -> Self {
        let earlier_rounds = turn.round();
        let exposed = turn.exposed_tools().unwrap_or(&env.exposed_tools).clone();
        let tools = ToolSelection::new(agent, env, exposed);
        let request = request.tools(tools.visible.request());
        Self {
            agent,
            context: &env.context,
            policy: &env.authority.policy,
            authority: &env.authority,
            recorder: env.recorder.clone(),
            events: &env.events,
            turn,
            request: Arc::new(request),
            in_flight: InFlight::default(),
            calls: RoundCalls::default(),
            reviewing: ReviewState::default(),
            tools,
            models: agent.lent_models(),
            previous_facts: env.retained_facts.as_deref(),
            projection,
            earlier_rounds,
            pruning: Pruning::default(),
            clock: Clock::new(env.wait_mode),
            stop_model: &env.stop_model,
            stop_calls: None,
            held_accesses: HeldAccesses::default(),
            open_accesses: Vec::new(),
            rare: None,
            error: None,
            approved_mode: None,
        }
    }

    pub(super) fn origin(&self) -> &Origin {
        self.turn.origin()
    }

    pub(super) fn stop_calls(&mut self) -> LazyToken {
        let stop = self
            .stop_calls
            .get_or_insert_with(|| self.context.lazy_cancellation().child());
        stop.clone()
    }
}
