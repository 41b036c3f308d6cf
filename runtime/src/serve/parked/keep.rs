//! Keeping a call while it waits.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::model::{ErrorData, InputRequiredResult};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::input_required;
use super::state::Ticket;
use crate::serve::Server;
use crate::serve::call::{Call, Step, long};
use crate::serve::client::{Ask, Line};
use crate::serve::house::Place;
use crate::serve::reply::{Answered, Reply};
use crate::serve::session::Session;

/// A client that has come back.
pub(super) struct Return {
    /// What it answers.
    pub(super) answers: BTreeMap<String, Value>,
    pub(super) line: Line,
    /// Told where the client goes away again.
    pub(super) stop: CancellationToken,
    /// How long the call goes on before it becomes a task.
    pub(super) delay: Option<Duration>,
    pub(super) respond: oneshot::Sender<Result<Answered, ErrorData>>,
}

/// A call that waits.
pub(super) struct Kept {
    known: Known,
    session: Arc<Session>,
    call: Call,
    round: u64,
    /// How many questions there were.
    questions: u64,
    asks: Vec<(String, Ask)>,
    /// The result, where the call ended while nobody waited for it.
    done: Option<Box<Reply>>,
    _place: Place,
}

/// Under which number a call that waits is known, as long as it waits.
struct Known {
    server: Server,
    number: u64,
}

impl Kept {
    pub(super) fn new(
        server: Server,
        session: Arc<Session>,
        call: Call,
        number: u64,
        place: Place,
    ) -> Self {
        Self {
            known: Known { server, number },
            session,
            call,
            round: 0,
            questions: 0,
            asks: Vec::new(),
            done: None,
            _place: place,
        }
    }

    /// Adds questions, and says all that are open.
    pub(super) fn asked(&mut self, asks: Vec<Ask>) -> InputRequiredResult {
        for ask in asks {
            self.questions += 1;
            let key = ask
                .key()
                .filter(|key| self.asks.iter().all(|(known, _)| known != key));
            let key = key.map_or_else(|| format!("question-{}", self.questions), str::to_owned);
            self.asks.push((key, ask));
        }
        let ticket = Ticket {
            call: self.known.number,
            round: self.round,
        };
        let principal = &self.session.house.principal;
        let seal = &self.known.server.inner.parked.seal;
        let state = seal.seal(ticket, principal, &self.call.made);
        input_required(&self.asks, state)
    }

    /// Keeps the call until it has ended and the client has its result, or until nobody came back in time.
    pub(super) async fn keep(mut self, mut returns: mpsc::Receiver<Return>, limit: Duration) {
        loop {
            let Some(returned) = self.wait(&mut returns, limit).await else {
                return;
            };
            self.round += 1;
            self.take(returned.answers);
            let came = tokio::select! {
                biased;
                came = self.go_on(&returned.line) => came,
                () = returned.stop.cancelled() => return,
                () = long(returned.delay) => {
                    let tasks = &self.known.server.inner.tasks;
                    match tasks.place(&self.session.house.principal) {
                        Some(place) => {
                            let task = Answered::Task(place.begin(self.call));
                            // A client that is gone finds the task by no id, and the task ends by itself.
                            let _ = returned.respond.send(Ok(task));
                            return;
                        }
                        None => self.go_on(&returned.line).await,
                    }
                }
            };
            let is_over = matches!(came, Answered::Reply(_));
            if returned.respond.send(Ok(came)).is_err() || is_over {
                return;
            }
        }
    }

    /// Waits for the client; meanwhile the call does what it can.
    async fn wait(
        &mut self,
        returns: &mut mpsc::Receiver<Return>,
        limit: Duration,
    ) -> Option<Return> {
        let _stalled = Stalled::of(&self.session, &self.call);
        let deadline = Instant::now() + limit;
        let nowhere = Line::nowhere();
        loop {
            tokio::select! {
                biased;
                returned = returns.recv() => return returned,
                () = tokio::time::sleep_until(deadline) => return None,
                step = self.call.step(&nowhere), if self.done.is_none() => match step {
                    Step::Done(result) => self.done = Some(result),
                    Step::Asked(asks) => {
                        let _ = self.asked(asks);
                    }
                },
            }
        }
    }

    /// Hands the answers to the call; an answer to no question is passed over.
    fn take(&mut self, mut answers: BTreeMap<String, Value>) {
        for (key, ask) in std::mem::take(&mut self.asks) {
            match answers.remove(&key) {
                Some(answer) => ask.answer_with(answer),
                None => self.asks.push((key, ask)),
            }
        }
    }

    /// Goes on until the call has ended or has questions; questions that are still open come first.
    async fn go_on(&mut self, line: &Line) -> Answered {
        let step = match self.done.take() {
            Some(result) => Step::Done(result),
            None if !self.asks.is_empty() => Step::Asked(Vec::new()),
            None => self.call.step(line).await,
        };
        match step {
            Step::Done(reply) => Answered::Reply(reply),
            Step::Asked(asks) => Answered::Asked(self.asked(asks)),
        }
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        self.server.inner.parked.forget(self.number);
    }
}

/// Counts a call that holds the order of its session while it waits for the client.
struct Stalled(Option<Arc<Session>>);

impl Stalled {
    fn of(session: &Arc<Session>, call: &Call) -> Self {
        let holds = call.begun.load(Ordering::Relaxed);
        Self(holds.then(|| {
            session.stalled.fetch_add(1, Ordering::Relaxed);
            session.clone()
        }))
    }
}

impl Drop for Stalled {
    fn drop(&mut self) {
        if let Some(session) = &self.0 {
            session.stalled.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
