//! What the model reads of the memory without asking.
//!
//! A program without the feature `memory` has none, and [`recall`] does nothing.

use super::app_context::AppContext;
#[cfg(feature = "memory")]
use super::app_memory::AppMemory;
#[cfg(all(feature = "jobs", feature = "memory"))]
use super::{app_memory::RecallGuard, session_folder};
#[cfg(feature = "jobs")]
use helve_agent::Agent;
use helve_agent::NoteQueue;
#[cfg(feature = "memory")]
use helve_core::transcript::ContentBlock;
use helve_core::transcript::{Message, SessionId};
#[cfg(feature = "memory")]
use helve_terminal::output;

/// Has the model read the entries that match a message before it replies; at the beginning of a session, also the titles of
/// all entries. Only an app whose tools use memory does this.
pub(super) async fn recall(
    app: &AppContext,
    agent: &str,
    message: &Message,
    session: Option<&SessionId>,
    is_new: bool,
    notes: &NoteQueue,
) {
    #[cfg(feature = "memory")]
    if let (Some(memory), Message::User { content }) = (memory_to_recall(app), message) {
        let texts: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
        let session = session.map(ToString::to_string).unwrap_or_default();
        let prompt = texts.join("\n");
        let principal = app.principal();
        let reader = (&principal, agent, &*session);
        let recalled = memory.recall(reader, &prompt, is_new, notes);
        if let Err(error) = recalled.await {
            output::remark(&format!("the memory cannot be read: {error}"));
        }
    }
    let _ = (app, agent, message, session, is_new, notes);
}

/// Has the sessions of jobs and of schedules, on which an agent works, read the memory as [`recall`] does.
#[cfg(feature = "jobs")]
pub(super) fn add_recall(app: &AppContext, agent: Agent) -> Agent {
    #[cfg(feature = "memory")]
    if let Some(memory) = memory_to_recall(app)
        && let Ok(sessions) = session_folder::sessions(app.package.name)
    {
        let memory = memory.clone();
        return agent.guard(RecallGuard { memory, sessions });
    }
    let _ = app;
    agent
}

/// Returns the memory if the app has tools that use it, and the settings do not turn the recall off.
#[cfg(feature = "memory")]
fn memory_to_recall(app: &AppContext) -> Option<&AppMemory> {
    let config = app.settings.as_ref().ok();
    let is_on = config.and_then(|config| config.boolean(&["memory", "recall"]));
    let mut tools = app.tools.granted().tools().into_iter();
    let is_used = is_on != Some(false) && tools.any(|tool| tool.spec().requires.memory);
    app.memory.as_ref().filter(|_| is_used)
}
