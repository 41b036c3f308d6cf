//! Items for generated code and for the macros of toolsets.

use std::any::{Any, TypeId};
use std::sync::Arc;

use super::Toolset;
use crate::registry;
use crate::tool::definition::Invocation;
use crate::tool::erased::BoundTool;
use crate::tool::host::{HostParameter, ViaState as _, host_parameter};
use crate::tool::{FromHost, StateRequirement, Tool, ToolContext, ToolDef, ToolError};

/// Returns the identity of a function.
pub fn function_id<F: Any>(_: &F) -> TypeId {
    TypeId::of::<F>()
}

/// Returns the function that returns the identity of a function: at compile time, so that a tool has no function of its
/// own for that.
pub const fn identify_function<F: Any>(_: &F) -> fn() -> TypeId {
    TypeId::of::<F>
}

/// Selects linked tools by their functions.
///
/// # Panics
///
/// Panics at the caller if a function is not a `#[tool]`. The compiler cannot know: two functions of one signature
/// differ in nothing that a macro could name.
#[must_use]
#[track_caller]
pub fn select(functions: &[(TypeId, &'static str)]) -> Toolset {
    let mut selected = Vec::with_capacity(functions.len());
    for (function, text) in functions {
        let found = registry::linked().find(|definition| definition.function() == *function);
        let Some(found) = found else {
            panic!("toolset!: `{text}` is not a tool: put `#[tool]` on the function");
        };
        selected.push(found);
    }
    Toolset::from_definitions(selected)
}

/// The type whose methods are tools; as in [`HostParameter`], only one function has a bound.
pub struct MethodOwner<T> {
    host: HostParameter<T>,
    erase: fn(Arc<T>) -> Arc<dyn Any + Send + Sync>,
}

/// Creates the marker of the type whose methods are tools.
#[must_use]
pub const fn method_owner<T: FromHost>() -> MethodOwner<T> {
    MethodOwner {
        host: host_parameter::<T>(),
        erase: T::erase,
    }
}

impl<T: Any> MethodOwner<T> {
    /// Returns the entry for the table of host state.
    #[must_use]
    pub const fn requirement(self) -> StateRequirement {
        self.host.requirement(false)
    }

    /// Binds methods to a value of their type.
    #[must_use]
    pub fn bind(self, receiver: Arc<T>, methods: &[&'static ToolDef]) -> Toolset {
        let receiver = (self.erase)(receiver);
        Toolset::from_tools(methods.iter().map(|definition| {
            Arc::new(BoundTool {
                definition,
                receiver: receiver.clone(),
            }) as Arc<dyn Tool>
        }))
    }

    /// Returns the receiver of a method call: the value that a toolset bound, or that of the app's state.
    pub fn receiver<'a>(
        self,
        bound: Option<&'a Arc<dyn Any + Send + Sync>>,
        context: &'a ToolContext,
    ) -> Result<&'a T, ToolError> {
        match bound.and_then(|bound| bound.downcast_ref::<T>()) {
            Some(receiver) => Ok(receiver),
            None => self.host.find(context)?.ok_or_else(|| {
                let name = std::any::type_name::<T>();
                ToolError::NotAvailable(format!(
                    "the tool is a method of `{name}`, which this app does not have"
                ))
            }),
        }
    }
}

impl Invocation<'_> {
    /// Returns a shared reference to the bound value, for a body that runs on another thread.
    #[must_use]
    pub fn shared_receiver(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.receiver.cloned()
    }
}
