//! The memory of the app: where it is, and what the model reads of it without asking.
//!
//! A program without the feature `memory` has none, and [`recall`] does nothing.

#[cfg(feature = "memory")]
use std::path::Path;

use super::app_context::AppContext;
#[cfg(feature = "memory")]
use super::{app::Package, config::Config, runner::MAIN_AGENT, session_folder};
use helve_agent::NoteQueue;
use helve_core::transcript::{Message, SessionId};
#[cfg(feature = "memory")]
use {
    helve_agent::Delivery,
    helve_core::tool::State,
    helve_core::transcript::{ContentBlock, Note},
    helve_memory::{FileMemory, Memory, MemoryConsole, MemoryError},
    helve_terminal::output,
};

#[cfg(all(feature = "memory", feature = "models"))]
use {
    super::providers::providers_with,
    futures_util::future::BoxFuture,
    helve_memory::{EmbedError, MemoryEmbedder},
    helve_model::{ModelName, Providers},
};

/// How long a message waits for the vectors of an embedding model, after which the memory is searched by words alone.
#[cfg(all(feature = "memory", feature = "models"))]
const EMBEDDING_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(10);

/// The memory, and its files.
#[cfg(feature = "memory")]
pub(super) struct AppMemory {
    memory: Memory,
    files: FileMemory,
}

/// Puts the memory into the state of the app; `None` if there is no folder for it. Nothing is read yet.
#[cfg(feature = "memory")]
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
#[cfg(all(feature = "memory", feature = "models"))]
#[derive(Debug)]
struct ProviderEmbedder {
    providers: Providers,
    model: ModelName,
    name: String,
}

#[cfg(all(feature = "memory", feature = "models"))]
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
#[cfg(all(feature = "memory", feature = "models"))]
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

#[cfg(feature = "memory")]
impl AppMemory {
    /// Returns the memory as the user of the command line reaches it.
    pub(super) fn console(&self, app: &AppContext) -> MemoryConsole {
        MemoryConsole::new(&self.memory, &self.files, &app.principal(), MAIN_AGENT)
    }

    async fn recall(
        &self,
        app: &AppContext,
        prompt: &str,
        session: &str,
        is_new: bool,
        notes: &NoteQueue,
    ) -> Result<(), MemoryError> {
        let memory = self
            .memory
            .for_session(&app.principal(), MAIN_AGENT, session);
        if is_new {
            self.files.maintain(memory.keys()).await?;
            push(notes, memory.titles().await?);
        }
        push(notes, memory.recall(prompt).await?);
        Ok(())
    }
}

#[cfg(feature = "memory")]
fn push(notes: &NoteQueue, note: Option<Note>) {
    if let Some(note) = note {
        notes.push(note, Delivery::Now);
    }
}

/// Has the model read the entries that match a message before it replies; at the beginning of a session, also the titles of
/// all entries. Only an app whose tools use memory does this.
pub(super) async fn recall(
    app: &AppContext,
    message: &Message,
    session: Option<&SessionId>,
    is_new: bool,
    notes: &NoteQueue,
) {
    #[cfg(feature = "memory")]
    if let (Some(memory), Message::User { content }) = (&app.memory, message) {
        let config = app.settings.as_ref().ok();
        let is_on = config.and_then(|config| config.boolean(&["memory", "recall"]));
        let mut tools = app.tools.granted().tools().into_iter();
        if is_on == Some(false) || !tools.any(|tool| tool.spec().requires.memory) {
            return;
        }
        let texts: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
        let session = session.map(ToString::to_string).unwrap_or_default();
        let prompt = texts.join("\n");
        let recalled = memory.recall(app, &prompt, &session, is_new, notes);
        if let Err(error) = recalled.await {
            output::remark(&format!("the memory cannot be read: {error}"));
        }
    }
    let _ = (app, message, session, is_new, notes);
}
