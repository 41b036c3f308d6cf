//! The local driver of a turn: it does what the turn says, and records it before the next step.

mod compacting;
mod connections;
mod context_window;
mod delegation;
mod in_flight;
mod known_urls;
mod labels;
mod model_call;
mod offering;
mod planning;
mod posted;
mod progress;
mod questions;
mod recorder;
mod report;
mod round_calls;
mod running;
mod spans;
mod start;
mod stopwatch;
mod telling;
mod waiting;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::EventKind;
use super::authority::Authority;
use super::compaction::Kept;
use super::offer::{Desk, Offered, Window};
use super::spec::{Agent, Patience};
use super::turn::{EndReason, Record, Step, Turn};
use crate::model::ModelRequest;
use crate::permission::Policy;
use crate::results::Pruning;
use crate::tool::{LazyToken, ToolContext, chain_text};
use crate::transcript::Origin;
use connections::HeldConnections;
use in_flight::InFlight;
use recorder::Recorder;
pub use report::{TurnReport, TurnStatus};
use round_calls::RoundCalls;
use stopwatch::Stopwatch;
pub use telling::EventSink;
use telling::Teller;
use waiting::{Happening, meanwhile};

/// One turn being driven.
struct Driver<'a, 's> {
    agent: &'a Agent,
    context: &'a ToolContext,
    /// The agent's policy under all that binds it, with what was granted in this session.
    policy: &'a Policy,
    /// What the turn may do at most.
    authority: &'a Authority,
    recorder: Recorder<'s>,
    teller: &'a Teller,
    /// It stays where it was made: it is large.
    turn: &'a mut Turn,
    /// Shared with the model's stream only while that runs, so that adding to it copies nothing.
    request: Arc<ModelRequest>,
    /// What is going on; each ends in what happened.
    working: InFlight<'a>,
    /// What happened while something was being written down.
    happened: VecDeque<Happening>,
    /// The calls of the round.
    calls: RoundCalls,
    patience: Patience,
    /// What the model is shown of its tools.
    window: Arc<Window>,
    /// Where its tools for reaching others leave word.
    desk: &'a Arc<Desk>,
    /// Where the switches stood when the turn began.
    offered_before: &'a Offered,
    /// What the summaries of the turns before kept.
    kept_before: &'a Kept,
    /// Whether tools were suggested in this turn.
    has_suggested: bool,
    /// What the model said when it was asked which tools it needs.
    suggestion: Option<String>,
    /// How much of old results is sent.
    pruning: Pruning,
    /// How long the model was silent before the reply that comes next.
    silent: Option<Duration>,
    stop_model: &'a LazyToken,
    /// Stops all calls that run: made with the first of them.
    stop_calls: Option<LazyToken>,
    interrupted: bool,
    /// The time that no record tells yet.
    stopwatch: Stopwatch,
    /// The connections of commands that are to be asked about.
    held: HeldConnections,
    error: Option<String>,
}

/// What stays the same for a whole turn, so that what is going on can borrow it.
struct TurnEnv<'a> {
    agent: &'a Agent,
    context: ToolContext,
    authority: Authority,
    teller: Teller,
    desk: Arc<Desk>,
    stop_model: LazyToken,
    patience: Patience,
    /// What the model was shown of its tools before.
    offered: Offered,
    /// What the summaries before kept.
    kept: Kept,
}

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Makes the driver of a turn, whose conversation and system prompt `request` holds.
    fn new(
        env: &'a TurnEnv<'a>,
        recorder: Recorder<'s>,
        turn: &'a mut Turn,
        request: ModelRequest,
    ) -> Self {
        let agent = env.agent;
        let offered = turn.offered().unwrap_or(&env.offered).clone();
        let (tools, offering) = (agent.toolset.clone(), agent.offering.clone());
        let window = Window::new(tools, offering, offered, &env.context, &env.desk);
        let request = request.tools(window.request());
        Self {
            agent,
            context: &env.context,
            policy: env.authority.policy(),
            authority: &env.authority,
            recorder,
            teller: &env.teller,
            turn,
            request: Arc::new(request),
            working: InFlight::default(),
            happened: VecDeque::new(),
            calls: RoundCalls::default(),
            patience: env.patience,
            window: Arc::new(window),
            desk: &env.desk,
            offered_before: &env.offered,
            kept_before: &env.kept,
            has_suggested: false,
            suggestion: None,
            pruning: Pruning::default(),
            silent: None,
            stop_model: &env.stop_model,
            stop_calls: None,
            interrupted: false,
            stopwatch: Stopwatch::default(),
            held: HeldConnections::default(),
            error: None,
        }
    }

    fn origin(&self) -> &Origin {
        self.turn.origin()
    }

    /// Does what can be done until the turn is over, waits for an answer or a result from elsewhere, or cannot be recorded.
    async fn run(&mut self) -> TurnStatus {
        // A turn that is resumed may run calls that another process planned.
        self.note_label();
        // What was handed in before this process drove the turn comes before its questions are put again.
        let posted = self.posted().await;
        if !posted.is_empty() && Box::pin(self.record(posted)).await.is_err() {
            return TurnStatus::Unrecorded;
        }
        // One place for all that happens, since it is large.
        let mut next = None;
        loop {
            match self.step().await {
                Ok(Progress::Over(reason)) => return TurnStatus::Ended(reason),
                Ok(Progress::Some) => continue,
                Ok(Progress::Nothing) => {}
                Err(Unrecorded) => return TurnStatus::Unrecorded,
            }
            self.wait(&mut next).await;
            let Some(happening) = &mut next else {
                return self.waiting();
            };
            if self.take_in(happening).await.is_err() {
                return TurnStatus::Unrecorded;
            }
        }
    }

    /// Lets go of the turn, and says what it came to.
    fn report(&mut self, status: TurnStatus) -> TurnReport {
        match &status {
            TurnStatus::Ended(reason) => self.teller.tell(EventKind::End {
                reason: *reason,
                error: self.error.clone(),
            }),
            TurnStatus::Waiting {
                approvals,
                external,
            } => self.teller.tell(EventKind::Waiting {
                approvals: approvals.clone(),
                external: external.clone(),
            }),
            TurnStatus::Unrecorded => {}
        }
        self.release_gate();
        // Whatever still runs belongs to a turn that is let go of.
        self.working.clear();
        TurnReport {
            status,
            error: self.error.take(),
            totals: *self.turn.totals(),
            label: self.turn.label().clone(),
            messages: std::mem::take(&mut Arc::make_mut(&mut self.request).messages),
        }
    }

    /// Does every step that is possible now.
    async fn step(&mut self) -> Result<Progress, Unrecorded> {
        let mut progress = Progress::Nothing;
        let mut unplanned = Vec::new();
        for step in self.turn.steps() {
            let did = match step {
                Step::End { reason } => return Ok(Progress::Over(reason)),
                Step::Plan { call } => {
                    unplanned.extend(self.unplanned(call));
                    false
                }
                Step::CallModel { round, purpose } => self.call_model(round, purpose).await?,
                Step::Ask { calls } => Box::pin(self.ask(calls)).await?,
                Step::AwaitAnswers { calls } => self.ask_again(calls),
                Step::Run { calls } => self.start(calls).await?,
                Step::Delegate {
                    call,
                    agent,
                    bounds,
                } => Box::pin(self.delegate(call, &agent, *bounds)).await?,
                Step::Submit { calls } => Box::pin(self.submit(calls)).await?,
                Step::StopModel => {
                    self.stop_model.token().cancel();
                    false
                }
                Step::Stop { .. } => {
                    // What starts after this is not of the calls that stop.
                    if let Some(stop) = self.stop_calls.take() {
                        stop.token().cancel();
                    }
                    false
                }
                Step::AwaitExternal { .. } | Step::Wait => false,
            };
            if did {
                progress = Progress::Some;
            }
        }
        self.plan(unplanned);
        Ok(progress)
    }

    /// Returns the token that stops the calls of the turn: whatever stops one of them stops all that run.
    fn stop_calls(&mut self) -> LazyToken {
        let stop = self
            .stop_calls
            .get_or_insert_with(|| self.context.lazy_cancellation().child());
        stop.clone()
    }

    /// Writes records down, after what tools have noted.
    async fn write(&mut self, records: &[Record]) -> Result<(), Unrecorded> {
        let notes = self.context.take_unsaved_notes();
        let (recorder, origin) = (&self.recorder, self.turn.origin());
        let writing = async {
            recorder.note(notes).await?;
            recorder.write(origin, records).await
        };
        let written = meanwhile(&mut self.working, &mut self.happened, writing).await;
        written.map_err(|error| {
            self.error = Some(chain_text(&error));
            Unrecorded
        })
    }

    /// Writes down what happened, and then takes it in. A record that comes too late changes nothing, now and when it is
    /// read again.
    async fn record(&mut self, mut records: Vec<Record>) -> Result<(), Unrecorded> {
        self.record_all(&mut records).await
    }

    /// Does what [`record`](Self::record) does with one record.
    async fn record_one(&mut self, mut record: Record) -> Result<(), Unrecorded> {
        self.record_all(std::slice::from_mut(&mut record)).await
    }

    /// Does what [`record`](Self::record) does with records that stay where they are: a record is large, and each function
    /// on the way would copy it.
    async fn record_all(&mut self, records: &mut [Record]) -> Result<(), Unrecorded> {
        if self.recorder.is_kept() {
            // In a box of its own: writing waits for the disk, and most that the driver waits for writes.
            Box::pin(self.write(records)).await?;
        }
        for record in records {
            self.apply(record);
            if let Record::Answered { call, decision } = record {
                Box::pin(self.adopt(*call, decision)).await;
            }
        }
        Ok(())
    }
}

/// How far a round of steps got.
enum Progress {
    /// Something was done, so that more may be possible.
    Some,
    /// Nothing can be done but wait.
    Nothing,
    /// The turn is over.
    Over(EndReason),
}

/// What happened could not be written down, so that nothing may be done about it.
struct Unrecorded;
