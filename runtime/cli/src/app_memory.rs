//! The memory of an app, as start-up makes it: its files, and the embedding model of the settings.

use std::path::Path;

use super::acceptance;
use super::app::Package;
use super::config::Config;
use super::session_folder;
#[cfg(feature = "jobs")]
use helve_agent::session::{Posting, Sessions};
#[cfg(feature = "jobs")]
use helve_agent::turn::Review;
use helve_agent::{Delivery, NoteQueue};
#[cfg(feature = "jobs")]
use helve_agent::{Guard, GuardError, GuardInput, GuardPoint};
use helve_core::tool::{Principal, State};
use helve_core::transcript::Note;
use helve_memory::{FileMemory, Memory, MemoryConsole, MemoryError, ProjectTrust};

#[cfg(feature = "jobs")]
use {futures_util::future::BoxFuture, std::time::Duration};

/// How long the prompt of a job waits for the memory, after which the job begins without it.
#[cfg(feature = "jobs")]
const RECALL_TIMEOUT: Duration = Duration::from_secs(20);

/// The memory, its files, and what the user thinks of the project.
#[derive(Clone)]
pub(super) struct AppMemory {
    pub(super) trust: ProjectTrust,
    memory: Memory,
    files: FileMemory,
}

/// Puts the memory into the state of the app; `None` if there is no folder for it. Nothing is read yet.
pub(super) fn grant(
    package: Package,
    folder: &Path,
    config: Option<&Config>,
    state: &mut State,
) -> Option<AppMemory> {
    let root = session_folder::folder(package.name).ok()?;
    let index = root.parent()?.to_owned();
    let files = FileMemory::with_index(root.with_file_name("memory"), index);
    let trust = ProjectTrust::new(folder, acceptance::user_store());
    let memory = Memory::new(files.clone()).with_project(trust.project());
    let is_accepted =
        |config: &Config| config.has_accepted_project() || trust.is_accepted().unwrap_or_default();
    let memory = match config {
        Some(config) if config.unaccepted().is_some() => memory.without_project_trust(),
        Some(config) if is_accepted(config) => memory,
        Some(_) => memory.with_shared_reviews(),
        None => memory.without_project_trust(),
    };
    #[cfg(feature = "models")]
    let memory = match config.and_then(super::embedder::from_settings) {
        Some(embedder) => memory.with_embedder(embedder),
        None => memory,
    };
    memory.grant(state);
    Some(AppMemory {
        trust,
        memory,
        files,
    })
}

impl AppMemory {
    /// Returns the memory as the user of the command line reaches it.
    pub(super) fn console(&self, principal: &Principal, agent: &str) -> MemoryConsole {
        MemoryConsole::new(&self.memory, &self.files, principal, agent)
    }

    /// Queues what a session of an agent reads before it replies to a prompt.
    pub(super) async fn recall(
        &self,
        reader: (&Principal, &str, &str),
        prompt: &str,
        is_new: bool,
        notes: &NoteQueue,
    ) -> Result<(), MemoryError> {
        for note in self.notes_of(reader, prompt, is_new).await? {
            notes.push(note, Delivery::Now);
        }
        Ok(())
    }

    /// Returns what a session of an agent reads before it replies to a prompt.
    async fn notes_of(
        &self,
        (principal, agent, session): (&Principal, &str, &str),
        prompt: &str,
        is_new: bool,
    ) -> Result<Vec<Note>, MemoryError> {
        let memory = self.memory.for_session(principal, agent, session);
        let mut notes = Vec::new();
        if is_new {
            self.files.maintain(memory.keys()).await?;
            notes.extend(memory.titles().await?);
        }
        notes.extend(memory.recall(prompt).await?);
        Ok(notes)
    }
}

/// Has sessions that no person begins read the memory before the model is called: those of jobs and of schedules.
#[cfg(feature = "jobs")]
pub(super) struct RecallGuard {
    pub(super) memory: AppMemory,
    pub(super) sessions: Sessions,
}

#[cfg(feature = "jobs")]
impl RecallGuard {
    /// Posts the notes to the session, which records each once, whichever process works on it.
    async fn post(&self, input: &GuardInput<'_>) -> Result<(), GuardError> {
        let (principal, session) = (input.context.principal(), input.context.session_id());
        let reader = (principal, input.origin.agent.as_str(), session.as_str());
        // What a schedule adds to its prompt is nothing to search for.
        let prompt = input.text.split("\n\n<scheduled_task ").next();
        let notes = self
            .memory
            .notes_of(reader, prompt.unwrap_or_default(), true);
        for note in notes.await? {
            let delivery = Delivery::Now;
            let posting = Posting::Say { note, delivery };
            self.sessions.post(session, posting).await?;
        }
        Ok(())
    }
}

#[cfg(feature = "jobs")]
impl Guard for RecallGuard {
    fn name(&self) -> &str {
        "memory"
    }

    fn checks(&self, point: GuardPoint) -> bool {
        point == GuardPoint::Prompt
    }

    fn check<'a>(&'a self, input: &'a GuardInput<'a>) -> BoxFuture<'a, Result<Review, GuardError>> {
        Box::pin(async move {
            // A delegate within a session reads what its caller tells it.
            if input.origin.parent_call.is_none() {
                let posted = tokio::time::timeout(RECALL_TIMEOUT, self.post(input)).await;
                if let Err(error) = posted.map_err(GuardError::from).flatten() {
                    tracing::warn!(%error, "the session does not read the memory");
                }
            }
            Ok(Review::Pass)
        })
    }
}
