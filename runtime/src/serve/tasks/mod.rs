//! Calls that go on after their request was answered (MCP's tasks extension, SEP-2663).
//!
//! A task is a call in the hands of nobody's request: it is driven here, its questions wait for `tasks/update`, and its
//! result for `tasks/get`. A principal sees its own tasks alone, has a bounded number of them, and each has an end.

mod entry;
mod policy;

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use std::time::Duration;

use rmcp::model::{ClientCapabilities, CreateTaskResult, ErrorData, GetTaskResult, InputResponses};
use rmcp::service::{RequestContext, RoleServer};
use tokio::time::Instant;

use super::call::{Call, Step};
use super::client::Line;
use super::reply::Reply;
use crate::support::lock::Mutex;
use crate::support::random;
use crate::tool::Principal;
use entry::Entry;
pub use policy::TaskPolicy;

/// How long the result of a task is kept at least, however late it came.
const GRACE: Duration = Duration::from_secs(300);

/// The tasks of a server.
pub(super) struct Tasks {
    pub(super) policy: TaskPolicy,
    entries: Arc<Entries>,
}

/// The tasks by their ids.
#[derive(Default)]
struct Entries(Mutex<HashMap<String, Entry>>);

/// A place for a task that has not begun.
pub(super) struct Place {
    id: String,
    entries: Arc<Entries>,
    kept: Duration,
}

/// Reports whether the client of a request takes tasks.
pub(super) fn are_taken(context: &RequestContext<RoleServer>) -> bool {
    let declared = context.client_capabilities();
    declared.is_some_and(|capabilities| capabilities.supports_tasks())
}

/// Says that a tool cannot be called by a client that takes no tasks.
pub(super) fn needed() -> ErrorData {
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

    /// Makes a place for a task; `None` where the principal has too many that have not ended.
    pub(super) fn place(&self, principal: &Principal) -> Option<Place> {
        let mut entries = self.entries.0.lock();
        let own = entries.iter().filter(|(_, entry)| entry.is_of(principal));
        if own.clone().count() >= self.policy.most {
            let ended = own.filter(|(_, entry)| entry.has_ended());
            let oldest = ended.min_by_key(|(_, entry)| entry.begun())?.0.clone();
            entries.remove(&oldest);
        }
        // Who knows the name of a task can read its result.
        let id = random::hex::<32>();
        let kept = self.policy.kept;
        entries.insert(id.clone(), Entry::new(&id, principal.clone(), kept));
        Some(Place {
            id,
            entries: self.entries.clone(),
            kept,
        })
    }

    /// Answers `tasks/get`.
    pub(super) fn get(&self, principal: &Principal, id: &str) -> Result<GetTaskResult, ErrorData> {
        self.with(principal, id, |entry| GetTaskResult::new(entry.detailed()))
    }

    /// Answers `tasks/update`: hands answers to the call; an answer to no question is passed over.
    pub(super) fn update(
        &self,
        principal: &Principal,
        id: &str,
        answers: InputResponses,
    ) -> Result<(), ErrorData> {
        self.with(principal, id, |entry| entry.answer(answers))
    }

    /// Answers `tasks/cancel`.
    pub(super) fn cancel(&self, principal: &Principal, id: &str) -> Result<(), ErrorData> {
        self.with(principal, id, Entry::stop)
    }

    fn with<T>(
        &self,
        principal: &Principal,
        id: &str,
        act: impl FnOnce(&mut Entry) -> T,
    ) -> Result<T, ErrorData> {
        let mut entries = self.entries.0.lock();
        let entry = entries.get_mut(id).filter(|entry| entry.is_of(principal));
        match entry {
            Some(entry) => Ok(act(entry)),
            None => Err(ErrorData::invalid_params(
                "there is no such task: it was never begun, or has been forgotten",
                None,
            )),
        }
    }
}

impl Entries {
    fn with(&self, id: &str, act: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.0.lock().get_mut(id) {
            act(entry);
        }
    }
}

impl Place {
    /// Goes on with a call in the background, and says under which id its client finds it.
    pub(super) fn begin(self, call: Call) -> CreateTaskResult {
        let Self { id, entries, kept } = self;
        let mut task = None;
        let mut stop = None;
        entries.with(&id, |entry| {
            task = Some(entry.task());
            stop = Some(entry.stopped());
        });
        if let Some(stop) = stop {
            tokio::spawn(async move {
                let end = Instant::now() + kept;
                let reply = tokio::select! {
                    reply = drive(call, &id, &entries) => Some(reply),
                    () = stop.cancelled() => None,
                    () = tokio::time::sleep_until(end) => Some(Reply::late()),
                };
                entries.with(&id, |entry| entry.end(reply));
                keep(Arc::downgrade(&entries), id, end).await;
            });
        }
        CreateTaskResult::new(task.unwrap_or_default())
    }
}

/// Drives a call to its end; its questions are kept with its entry until they are answered.
async fn drive(mut call: Call, id: &str, entries: &Entries) -> Reply {
    let nowhere = Line::nowhere();
    loop {
        match call.step(&nowhere).await {
            Step::Done(reply) => return *reply,
            Step::Asked(asks) => entries.with(id, |entry| entry.ask(asks)),
        }
    }
}

/// Keeps the result of a task for a while, unless the server goes away before.
async fn keep(entries: Weak<Entries>, id: String, end: Instant) {
    tokio::time::sleep_until(end.max(Instant::now() + GRACE)).await;
    if let Some(entries) = entries.upgrade() {
        entries.0.lock().remove(&id);
    }
}
