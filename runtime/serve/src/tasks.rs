//! Calls that continue after their request was answered (MCP's tasks extension, SEP-2663).
//!
//! A task drives its call in the background. The requests for input of the call wait for `tasks/update`, and its result
//! for `tasks/get`. A principal sees its own tasks only. The number of tasks per principal and the lifetime of a task are
//! limited.

mod policy;
mod task_entry;

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, Weak};
use std::time::Duration;

use rmcp::model::{ClientCapabilities, CreateTaskResult, ErrorData, GetTaskResult, InputResponses};
use rmcp::service::{RequestContext, RoleServer};
use tokio::time::Instant;

use super::call::{Call, Step};
use super::client::ClientChannel;
use super::response::RequestResult;
use helve_core::support::lock::Mutex;
use helve_core::support::random;
use helve_core::tool::Principal;
pub use policy::TaskPolicy;
use task_entry::TaskEntry;

/// The least time that the result of a task is kept after its end.
const MIN_RETENTION: Duration = Duration::from_secs(300);

/// The tasks of a server.
pub(super) struct Tasks {
    pub(super) policy: TaskPolicy,
    entries: Arc<TaskEntries>,
}

/// The tasks by their ids.
#[derive(Default)]
struct TaskEntries(Mutex<HashMap<String, TaskEntry>>);

/// A reserved id for a task that has not started.
pub(super) struct TaskReservation {
    id: String,
    entries: Arc<TaskEntries>,
    lifetime: Duration,
}

/// Returns whether the client of a request supports tasks.
pub(super) fn client_supports_tasks(context: &RequestContext<RoleServer>) -> bool {
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
        let mut entries = self.entries.lock();
        let own = entries
            .iter()
            .filter(|(_, entry)| entry.belongs_to(principal));
        if own.clone().count() >= self.policy.max_tasks {
            let ended = own.filter(|(_, entry)| entry.has_ended());
            let oldest = ended.min_by_key(|(_, entry)| entry.created())?.0.clone();
            entries.remove(&oldest);
        }
        // The id must be unguessable, because it gives access to the result.
        let id = random::hex::<32>();
        let lifetime = self.policy.lifetime;
        let entry = TaskEntry::new(&id, principal.clone(), lifetime);
        entries.insert(id.clone(), entry);
        Some(TaskReservation {
            id,
            entries: self.entries.clone(),
            lifetime,
        })
    }

    /// Answers `tasks/get`.
    pub(super) fn get(&self, principal: &Principal, id: &str) -> Result<GetTaskResult, ErrorData> {
        self.with_entry(principal, id, |entry| {
            GetTaskResult::new(entry.refresh_detailed())
        })
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
        let mut entries = self.entries.lock();
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
    fn lock(&self) -> MutexGuard<'_, HashMap<String, TaskEntry>> {
        self.0.lock()
    }

    fn with_entry(&self, id: &str, act: impl FnOnce(&mut TaskEntry)) {
        if let Some(entry) = self.lock().get_mut(id) {
            act(entry);
        }
    }
}

impl TaskReservation {
    /// Continues a call in the background, and returns the task by which its client finds it.
    pub(super) fn start(self, call: Box<Call>) -> CreateTaskResult {
        let Self {
            id,
            entries,
            lifetime,
        } = self;
        let mut started = None;
        entries.with_entry(&id, |entry| {
            started = Some((entry.task(), entry.cancellation()));
        });
        // The entry is there: it is removed only after its end, or if another reservation replaces an ended task.
        let Some((task, cancellation)) = started else {
            return CreateTaskResult::new(Default::default());
        };
        tokio::spawn(async move {
            let end = Instant::now() + lifetime;
            let result = tokio::select! {
                result = run_to_end(call, &id, &entries) => Some(result),
                () = cancellation.cancelled() => None,
                () = tokio::time::sleep_until(end) => Some(RequestResult::timed_out()),
            };
            entries.with_entry(&id, |entry| entry.finish(result));
            remove_after_retention(Arc::downgrade(&entries), id, end).await;
        });
        CreateTaskResult::new(task)
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
        entries.lock().remove(&id);
    }
}
