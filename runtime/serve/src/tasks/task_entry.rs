//! The state of one task.

use std::time::Duration;

use rmcp::model::{DetailedTask, InputResponses, Task, TaskPayload, TaskStatus};
use rmcp::task_manager::current_timestamp;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::client::{OpenRequests, PendingRequest};
use crate::response::RequestResult;
use helve_core::tool::Principal;

/// The interval in which a client should poll, in milliseconds.
const POLL_INTERVAL_MS: u64 = 1_000;

pub(super) struct TaskEntry {
    principal: Principal,
    pub(super) created: Instant,
    /// The task without its result.
    pub(super) task: Task,
    requests: OpenRequests,
    /// The result, once the task has ended.
    end: Option<TaskPayload>,
    /// Cancelled when the client cancels the task.
    pub(super) cancellation: CancellationToken,
}

impl TaskEntry {
    pub(super) fn new(id: &str, principal: Principal, lifetime: Duration) -> Self {
        let now = current_timestamp();
        let ttl_ms = u64::try_from(lifetime.as_millis()).unwrap_or(u64::MAX);
        let task = Task::new(id, TaskStatus::Working, now.clone(), now)
            .with_ttl_ms(ttl_ms)
            .with_poll_interval_ms(POLL_INTERVAL_MS);
        Self {
            principal,
            created: Instant::now(),
            task,
            requests: OpenRequests::default(),
            end: None,
            cancellation: CancellationToken::new(),
        }
    }

    pub(super) fn belongs_to(&self, principal: &Principal) -> bool {
        self.principal == *principal
    }

    pub(super) fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// Returns the task with its result or its open requests for input.
    pub(super) fn detailed(&self) -> DetailedTask {
        let payload = match &self.end {
            Some(end) => end.clone(),
            None => match self.requests.to_rmcp() {
                open if open.is_empty() => TaskPayload::Working,
                input_requests => TaskPayload::InputRequired { input_requests },
            },
        };
        DetailedTask::new(self.task.clone(), payload)
    }

    pub(super) fn add_requests(&mut self, requests: Vec<PendingRequest>) {
        self.requests.add(requests);
        self.touch();
    }

    /// Hands the client's responses to the call.
    pub(super) fn resolve_requests(&mut self, responses: InputResponses) {
        self.requests.resolve(responses);
        self.touch();
    }

    /// Cancels the call; a task that has ended does not change.
    pub(super) fn cancel(&mut self) {
        if self.end.is_none() {
            self.requests.clear();
            self.cancellation.cancel();
            self.touch();
        }
    }

    /// Ends the task with the result of the call, or with `None` if the client has cancelled it.
    pub(super) fn finish(&mut self, result: Option<RequestResult>) {
        self.requests.clear();
        self.end = Some(match result {
            None => TaskPayload::Cancelled,
            Some(result) => match result.to_json() {
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
