//! The memory of a call, for tools that declare that they use it.

use helve_core::capability::{Capability, Refusal};
use helve_core::tool::ToolContext;
use helve_permission::read_label;

use crate::entry::{MemoryAuthor, MemorySource};
use crate::memory::{GrantedMemory, Memory};
use crate::session_memory::{MemoryWriter, SessionMemory};

/// The memory of a call; implemented for [`ToolContext`], and part of the prelude.
///
/// ```
/// use helve::memory::{FileMemory, Memory, NewMemory};
/// use helve::prelude::*;
/// use helve::tool::State;
///
/// /// Remembers the birthday of a person.
/// #[tool(requires(memory))]
/// async fn note_birthday(
///     /// The name.
///     name: &str,
///     /// The day, as in `12 May`.
///     day: &str,
///     cx: &ToolContext,
/// ) -> Result<String, ToolError> {
///     let new = NewMemory::new(format!("Birthday of {name}"), format!("{name} has birthday on {day}."));
///     let (path, _) = cx.memory()?.remember(new).await?;
///     Ok(format!("noted as {path}"))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let mut state = State::new();
/// Memory::new(FileMemory::new(folder.path())).grant(&mut state);
/// let cx = ToolContext::builder().app(std::sync::Arc::new(state)).build();
/// let arguments = r#"{"name": "Ann", "day": "12 May"}"#;
/// let output = toolset![note_birthday].call("note_birthday", arguments, &cx).await.unwrap();
/// assert_eq!(output.text(), "noted as /memories/user/birthday-of-ann.md");
/// # Ok(())
/// # }
/// ```
pub trait MemoryContext {
    /// Returns the memories that the call reaches, for a tool that declares `requires(memory)`. What is written there was
    /// written by a model, after it had read what the agent has read.
    ///
    /// # Errors
    ///
    /// When the tool did not declare `memory`, or the app granted none.
    fn memory(&self) -> Result<SessionMemory, Refusal>;
}

impl MemoryContext for ToolContext {
    fn memory(&self) -> Result<SessionMemory, Refusal> {
        if !self.requirements().memory {
            return Err(Refusal::not_declared(Capability::Memory));
        }
        let granted = self.app_state().get::<GrantedMemory>().ok().flatten();
        let granted = granted.ok_or_else(|| Refusal::not_granted(Capability::Memory))?;
        Ok(of_call(&granted.0, self))
    }
}

fn of_call(memory: &Memory, context: &ToolContext) -> SessionMemory {
    let mut source = MemorySource::new(MemoryAuthor::Model);
    source.session = context.session_id().to_string();
    source.call = context
        .address()
        .map(ToString::to_string)
        .unwrap_or_default();
    let label = Some(Box::new(read_label(context).unwrap_or_default()));
    let writer = MemoryWriter { source, label };
    let (agent, session) = (context.agent_id(), context.session_id());
    memory.reach(context.principal(), Some(agent), Some(session), writer)
}
