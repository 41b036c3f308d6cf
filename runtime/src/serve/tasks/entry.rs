//! One task, as its client sees it.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::{DetailedTask, InputResponses, Task, TaskPayload, TaskStatus};
use rmcp::task_manager::current_timestamp;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::serve::client::Ask;
use crate::serve::reply::Reply;
use crate::tool::Principal;

/// How often a client is to ask, in milliseconds.
const POLL_MS: u64 = 1_000;

/// A task: what is told of it, and what it waits for.
pub(super) struct Entry {
    principal: Principal,
    begun: Instant,
    task: Task,
    /// The questions that are open.
    asks: BTreeMap<String, Ask>,
    /// How many questions there were.
    questions: u64,
    end: Option<TaskPayload>,
    stop: CancellationToken,
}

impl Entry {
    pub(super) fn new(id: &str, principal: Principal, kept: Duration) -> Self {
        let now = current_timestamp();
        let kept_ms = u64::try_from(kept.as_millis()).unwrap_or(u64::MAX);
        let task = Task::new(id, TaskStatus::Working, now.clone(), now);
        Self {
            principal,
            begun: Instant::now(),
            task: task.with_ttl_ms(kept_ms).with_poll_interval_ms(POLL_MS),
            asks: BTreeMap::new(),
            questions: 0,
            end: None,
            stop: CancellationToken::new(),
        }
    }

    pub(super) fn is_of(&self, principal: &Principal) -> bool {
        self.principal == *principal
    }

    pub(super) fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    pub(super) fn begun(&self) -> Instant {
        self.begun
    }

    /// Returns what the client is told when the task begins.
    pub(super) fn task(&self) -> Task {
        self.task.clone()
    }

    /// Returns what tells that the client wants the task to end.
    pub(super) fn stopped(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Returns the task as it is now.
    pub(super) fn detailed(&mut self) -> DetailedTask {
        // A call that no longer waits for an answer has gone on without it.
        self.asks.retain(|_, ask| ask.is_open());
        let payload = match &self.end {
            Some(end) => end.clone(),
            None if self.asks.is_empty() => TaskPayload::Working,
            None => {
                let asks = self.asks.iter();
                let input_requests = asks.map(|(key, ask)| (key.clone(), ask.request.clone()));
                TaskPayload::InputRequired {
                    input_requests: input_requests.collect(),
                }
            }
        };
        DetailedTask::new(self.task.clone(), payload)
    }

    /// Keeps questions until they are answered; each has a key that no other question of the task has had.
    pub(super) fn ask(&mut self, asks: Vec<Ask>) {
        for ask in asks {
            self.questions += 1;
            let key = match ask.key() {
                Some(key) if self.questions == 1 || !self.asks.contains_key(key) => key.to_owned(),
                _ => format!("question-{}", self.questions),
            };
            self.asks.insert(key, ask);
        }
        self.touch();
    }

    pub(super) fn answer(&mut self, answers: InputResponses) {
        for (key, answer) in answers {
            if let Some(ask) = self.asks.remove(&key) {
                ask.answer_with(answer);
            }
        }
        self.touch();
    }

    /// Tells the call that its client wants it to end; one that has ended stays as it is.
    pub(super) fn stop(&mut self) {
        if self.end.is_none() {
            self.asks.clear();
            self.stop.cancel();
            self.touch();
        }
    }

    /// Ends the task, with what came of the call; with nothing where it was stopped.
    pub(super) fn end(&mut self, reply: Option<Reply>) {
        self.asks.clear();
        self.end = Some(match reply {
            None => TaskPayload::Cancelled,
            Some(reply) => match reply.object() {
                Ok(result) => TaskPayload::Completed { result },
                Err(error) => TaskPayload::Failed { error },
            },
        });
        self.touch();
    }

    fn touch(&mut self) {
        self.task.last_updated_at = current_timestamp();
    }
}
