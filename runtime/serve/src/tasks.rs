//! Calls that continue after their request was answered (MCP's tasks extension, SEP-2663).
//!
//! A task drives its call in the background. The requests for input of the call wait for `tasks/update`, and its result
//! for `tasks/get`. A principal sees its own tasks only. The number of tasks per principal and the lifetime of a task are
//! limited.

mod policy;
mod task_entry;

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use rmcp::model::{
    ClientCapabilities, CreateTaskResult, ErrorData, GetTaskResult, InputResponses, Task,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::call::{Call, Step};
use super::client::{ClientChannel, RequestContext};
use super::response::RequestResult;
use helve_core::support::lock::Mutex;
use helve_core::support::random;
use helve_core::tool::Principal;
pub use policy::TaskPolicy;
use task_entry::TaskEntry;

/// The least time that the result of a task is kept after its end.
const MIN_RETENTION: Duration = Duration::from_secs(300);

pub(super) struct Tasks {
    pub(super) policy: TaskPolicy,
    entries: Arc<TaskEntries>,
}

#[derive(Default)]
struct TaskEntries(Mutex<HashMap<String, TaskEntry>>);

/// The entry of a task that has not ended. Dropping the reservation removes the entry.
pub(super) struct TaskReservation {
    id: String,
    entries: Arc<TaskEntries>,
    task: Task,
    /// Cancelled when the client cancels the task.
    cancellation: CancellationToken,
    lifetime: Duration,
}

pub(super) fn client_supports_tasks(context: &RequestContext) -> bool {
    let declared = context.client_capabilities();
    declared.is_some_and(|capabilities| capabilities.supports_tasks())
}

/// Returns the error of a call whose tool requires a client that supports tasks.
pub(super) fn tasks_required() -> ErrorData {
    let capabilities = ClientCapabilities::builder().enable_tasks().build();
    ErrorData::missing_required_client_capability(capabilities)
}

impl Tasks {
    pub(super) fn new(policy: TaskPolicy) -> Self {
        Self {
            policy,
            entries: Arc::default(),
        }
    }

    /// Reserves a task, in place of the oldest that has ended if there are too many; returns `None` if the principal has
    /// too many that have not ended.
    pub(super) fn reserve(&self, principal: &Principal) -> Option<TaskReservation> {
        let mut entries = self.entries.0.lock();
        let own = entries
            .iter()
            .filter(|(_, entry)| entry.belongs_to(principal));
        if own.clone().count() >= self.policy.max_tasks {
            let ended = own.filter(|(_, entry)| entry.has_ended());
            let oldest = ended.min_by_key(|(_, entry)| entry.created)?.0.clone();
            entries.remove(&oldest);
        }
        // The id must be unguessable, because it gives access to the result.
        let id = random::hex::<32>();
        let lifetime = self.policy.lifetime;
        let entry = TaskEntry::new(&id, principal.clone(), lifetime);
        let reservation = TaskReservation {
            id: id.clone(),
            entries: self.entries.clone(),
            task: entry.task.clone(),
            cancellation: entry.cancellation.clone(),
            lifetime,
        };
        entries.insert(id, entry);
        Some(reservation)
    }

    /// Answers `tasks/get`.
    pub(super) fn get(&self, principal: &Principal, id: &str) -> Result<GetTaskResult, ErrorData> {
        self.with_entry(principal, id, |entry| GetTaskResult::new(entry.detailed()))
    }

    /// Answers `tasks/update`: hands responses to the call; responses without an open request are ignored.
    pub(super) fn update(
        &self,
        principal: &Principal,
        id: &str,
        responses: InputResponses,
    ) -> Result<(), ErrorData> {
        self.with_entry(principal, id, |entry| entry.resolve_requests(responses))
    }

    /// Answers `tasks/cancel`.
    pub(super) fn cancel(&self, principal: &Principal, id: &str) -> Result<(), ErrorData> {
        self.with_entry(principal, id, TaskEntry::cancel)
    }

    fn with_entry<T>(
        &self,
        principal: &Principal,
        id: &str,
        act: impl FnOnce(&mut TaskEntry) -> T,
    ) -> Result<T, ErrorData> {
        let mut entries = self.entries.0.lock();
        let entry = entries
            .get_mut(id)
            .filter(|entry| entry.belongs_to(principal));
        entry.map(act).ok_or_else(|| {
            let message = "unknown task: it was never started, or was removed";
            ErrorData::invalid_params(message, None)
        })
    }
}

impl TaskEntries {
    fn with_entry(&self, id: &str, act: impl FnOnce(&mut TaskEntry)) {
        if let Some(entry) = self.0.lock().get_mut(id) {
            act(entry);
        }
    }
}

impl TaskReservation {
    /// Continues a call in the background, and returns the task by which its client finds it.
    pub(super) fn start(self, call: Box<Call>) -> CreateTaskResult {
        let task = self.task.clone();
        tokio::spawn(async move {
            let end = Instant::now() + self.lifetime;
            let result = tokio::select! {
                result = run_to_end(call, &self.id, &self.entries) => Some(result),
                () = self.cancellation.cancelled() => None,
                () = tokio::time::sleep_until(end) => Some(RequestResult::timed_out()),
            };
            let (entries, id) = (Arc::downgrade(&self.entries), self.id.clone());
            self.entries
                .with_entry(&self.id, |entry| entry.finish(result));
            drop(self);
            remove_after_retention(entries, id, end).await;
        });
        CreateTaskResult::new(task)
    }
}

impl Drop for TaskReservation {
    fn drop(&mut self) {
        let mut entries = self.entries.0.lock();
        if entries
            .get(&self.id)
            .is_some_and(|entry| !entry.has_ended())
        {
            entries.remove(&self.id);
        }
    }
}

/// Drives a call to its end; its entry holds the requests for input until they are answered.
async fn run_to_end(mut call: Box<Call>, id: &str, entries: &TaskEntries) -> RequestResult {
    let channel = ClientChannel::disconnected();
    loop {
        match call.step(&channel).await {
            Step::Finished(result) => return *result,
            Step::InputRequired(requests) => {
                entries.with_entry(id, |entry| entry.add_requests(requests));
            }
        }
    }
}

/// Removes an ended task after its retention time. The reference is weak, so that the task does not keep the server alive.
async fn remove_after_retention(entries: Weak<TaskEntries>, id: String, end: Instant) {
    tokio::time::sleep_until(end.max(Instant::now() + MIN_RETENTION)).await;
    if let Some(entries) = entries.upgrade() {
        entries.0.lock().remove(&id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reservation_that_is_dropped_leaves_no_task() {
        let tasks = Tasks::new(TaskPolicy::new().max_tasks(1));
        let principal = Principal::default();
        for _ in 0..2 {
            let reservation = tasks.reserve(&principal).expect("no task is open");
            let id = reservation.id.clone();
            assert!(tasks.get(&principal, &id).is_ok());
            drop(reservation);
            assert!(tasks.get(&principal, &id).is_err());
        }
    }
}
