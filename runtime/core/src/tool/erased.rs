//! The `Tool` trait, implemented by every kind of tool.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

use crate::schema::Mistakes;
use crate::tool::ToolContext;
use crate::tool::availability::Availability;
use crate::tool::definition::ToolDef;
use crate::tool::facts::Facts;
use crate::tool::prepared::PreparedCall;
use crate::tool::settings::SettingsSection;
use crate::tool::spec::ToolSpec;

/// A tool that can be described, judged and called: a `#[tool]` function, a dynamic tool, or a tool of an MCP server.
///
/// Call it through [`dispatch::call`](crate::tool::dispatch::call), which adds the lenient pass, the deadline, the
/// cancellation, the cap on the result and the catching of panics.
///
/// ```
/// # extern crate helve_core as helve;
/// use std::sync::Arc;
/// use helve::prelude::*;
/// use helve::Tool;
///
/// /// Tells the answer.
/// #[tool(read_only)]
/// fn answer() -> u32 {
///     42
/// }
///
/// let tools: Vec<Arc<dyn Tool>> = toolset![answer].tools();
/// assert_eq!(&*tools[0].spec().name, "answer");
/// ```
pub trait Tool: Send + Sync {
    /// Returns the specification of the tool.
    fn spec(&self) -> &ToolSpec;

    /// Parses the arguments of a call, and computes the facts of the call; the body does not run.
    ///
    /// # Errors
    ///
    /// All mistakes of the arguments at once.
    fn prepare(&self, context: &ToolContext, arguments: Arc<str>)
    -> Result<PreparedCall, Mistakes>;

    /// Reports whether every call of the tool is executed outside of this process.
    fn is_external(&self) -> bool {
        false
    }

    /// Returns the availability of the tool. This is called before each call of the model: it must return immediately,
    /// and return the same value while nothing changes.
    fn availability(&self, context: &ToolContext) -> Availability {
        let _ = context;
        Availability::Available
    }

    /// Reports whether [`availability`](Self::availability) always returns that the tool is available. In that case it
    /// is not called.
    fn is_always_available(&self) -> bool {
        false
    }

    /// Returns the definition of the tool, if the tool is a `#[tool]` function.
    fn definition(&self) -> Option<&'static ToolDef> {
        None
    }

    /// Reports whether the tool is a method that is bound to its receiver.
    fn is_bound(&self) -> bool {
        true
    }

    /// Returns the sections of the settings that were [declared](crate::Toolset::settings) for the tool.
    fn settings(&self) -> Vec<Arc<SettingsSection>> {
        Vec::new()
    }

    /// Returns the types of host state that a call uses.
    fn state_types(&self) -> Vec<TypeId> {
        let Some(definition) = self.definition() else {
            return Vec::new();
        };
        let receiver = definition.receiver().filter(|_| !self.is_bound());
        definition
            .required_state()
            .chain(receiver)
            .map(|need| (need.type_id)())
            .collect()
    }
}

/// A linked tool from the registry: the receiver of a method comes from the app's state.
impl Tool for &'static ToolDef {
    fn spec(&self) -> &ToolSpec {
        ToolDef::spec(self)
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        ToolDef::prepare(self, context, None, arguments)
    }

    fn availability(&self, context: &ToolContext) -> Availability {
        ToolDef::availability(self, context)
    }

    fn is_always_available(&self) -> bool {
        ToolDef::is_always_available(self)
    }

    fn definition(&self) -> Option<&'static ToolDef> {
        Some(self)
    }

    fn is_bound(&self) -> bool {
        self.receiver().is_none()
    }
}

/// A method with the receiver that it is bound to.
pub(crate) struct BoundTool {
    pub(crate) definition: &'static ToolDef,
    pub(crate) receiver: Arc<dyn Any + Send + Sync>,
}

impl Tool for BoundTool {
    fn spec(&self) -> &ToolSpec {
        self.definition.spec()
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        self.definition
            .prepare(context, Some(&self.receiver), arguments)
    }

    fn availability(&self, context: &ToolContext) -> Availability {
        self.definition.availability(context)
    }

    fn is_always_available(&self) -> bool {
        self.definition.is_always_available()
    }

    fn definition(&self) -> Option<&'static ToolDef> {
        Some(self.definition)
    }
}

impl dyn Tool + '_ {
    /// Returns the facts of a call without running its body.
    ///
    /// # Errors
    ///
    /// All mistakes of the arguments at once.
    pub fn facts(&self, context: &ToolContext, arguments: &str) -> Result<Facts, Mistakes> {
        let prepared = self.prepare(context, Arc::from(arguments))?;
        Ok(prepared.into_facts())
    }
}

impl fmt::Debug for dyn Tool + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tool({})", self.spec().name)
    }
}
