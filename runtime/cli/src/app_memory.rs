//! The memory of an app, as start-up makes it: its files, and the embedding model of the settings.

use std::path::Path;

use super::app::Package;
use super::config::Config;
use super::session_folder;
use helve_agent::{Delivery, NoteQueue};
use helve_core::tool::{Principal, State};
use helve_core::transcript::Note;
use helve_memory::{FileMemory, Memory, MemoryConsole, MemoryError};

#[cfg(feature = "models")]
use {
    super::providers::providers_with,
    futures_util::future::BoxFuture,
    helve_memory::{EmbedError, MemoryEmbedder},
    helve_model::{ModelName, Providers},
};

/// How long a message waits for the vectors of an embedding model, after which the memory is searched by words alone.
#[cfg(feature = "models")]
const EMBEDDING_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(10);

/// The memory, and its files.
pub(super) struct AppMemory {
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
    let memory = Memory::new(files.clone());
    let memory = match config.map(Config::unaccepted) {
        Some(None) => {
            let mut above = folder.ancestors();
            let project = above.find(|folder| folder.join(".git").exists());
            memory.with_project(project.unwrap_or(folder))
        }
        _ => memory.without_project_trust(),
    };
    #[cfg(feature = "models")]
    let memory = match config.and_then(embedder) {
        Some(embedder) => memory.with_embedder(embedder),
        None => memory,
    };
    memory.grant(state);
    Some(AppMemory { memory, files })
}

/// The embedding model of the settings.
#[cfg(feature = "models")]
#[derive(Debug)]
struct ProviderEmbedder {
    providers: Providers,
    model: ModelName,
    name: String,
}

#[cfg(feature = "models")]
impl MemoryEmbedder for ProviderEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn embed<'a>(
        &'a self,
        texts: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        let vectors = self.providers.embed(&self.model, texts, EMBEDDING_TIMEOUT);
        Box::pin(async { Ok(vectors.await?) })
    }
}

/// Returns the embedding model that the settings name.
#[cfg(feature = "models")]
fn embedder(config: &Config) -> Option<ProviderEmbedder> {
    let name = config.text(&["models", "embed"]).ok()??.value;
    let model: ModelName = name.parse().ok()?;
    let providers = providers_with(config, std::slice::from_ref(&model)).ok()?;
    Some(ProviderEmbedder {
        providers,
        model,
        name,
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
        (principal, agent, session): (&Principal, &str, &str),
        prompt: &str,
        is_new: bool,
        notes: &NoteQueue,
    ) -> Result<(), MemoryError> {
        let memory = self.memory.for_session(principal, agent, session);
        if is_new {
            self.files.maintain(memory.keys()).await?;
            push(notes, memory.titles().await?);
        }
        push(notes, memory.recall(prompt).await?);
        Ok(())
    }
}

fn push(notes: &NoteQueue, note: Option<Note>) {
    if let Some(note) = note {
        notes.push(note, Delivery::Now);
    }
}
