//! The parameters that a tool takes by reference: state of the host, or the context of the call.

use std::any::{Any, TypeId};
use std::sync::Arc;

use crate::tool::{ToolContext, ToolError};

/// A type that a tool may take by reference: host state, sized or `dyn`.
///
/// Implemented for every type that can be shared between threads.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be host state",
    label = "not `Send + Sync + 'static`",
    note = "calls run on several threads at once: write `Arc` for `Rc`, put what changes behind a `Mutex`, and give a trait the supertraits `Send + Sync`"
)]
pub trait FromHost: Any {
    #[doc(hidden)]
    fn from_host(context: &ToolContext) -> Result<Option<&Self>, ToolError>;
    #[doc(hidden)]
    fn erase(this: Arc<Self>) -> Arc<dyn Any + Send + Sync>
    where
        Self: Sized;
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + Any + Send + Sync> FromHost for T {
    fn from_host(context: &ToolContext) -> Result<Option<&Self>, ToolError> {
        Ok(context.find_state::<T>()?)
    }

    fn erase(this: Arc<Self>) -> Arc<dyn Any + Send + Sync>
    where
        Self: Sized,
    {
        this
    }
}

/// A reference parameter of a tool, resolved where its type is concrete.
///
/// Only [`host_parameter`] has a bound. Generated code calls it twice, in the table and in the body, and the compiler
/// drops the second of two equal errors, together with the errors that follow from it.
pub struct HostParameter<T: ?Sized> {
    find: for<'a> fn(&'a ToolContext) -> Result<Option<&'a T>, ToolError>,
}

/// Creates the marker of a type that the host supplies.
#[must_use]
pub const fn host_parameter<T: ?Sized + FromHost>() -> HostParameter<T> {
    HostParameter { find: T::from_host }
}

impl<T: ?Sized> HostParameter<T> {
    /// Returns the entry for the table of host state.
    #[must_use]
    pub const fn requirement(self, optional: bool) -> StateRequirement
    where
        T: 'static,
    {
        StateRequirement {
            type_id: TypeId::of::<T>,
            type_name: std::any::type_name::<T>,
            optional,
        }
    }
}

impl HostParameter<ToolContext> {
    /// Returns the context; as an inherent method, it takes precedence over the look-up in the state.
    pub fn get(self, context: &ToolContext) -> Result<&ToolContext, ToolError> {
        Ok(context)
    }
}

/// Looks up a type in the state.
pub trait ViaState<T: ?Sized> {
    /// Returns state that must exist.
    fn get(self, context: &ToolContext) -> Result<&T, ToolError>;
    /// Returns state that may be missing.
    fn find(self, context: &ToolContext) -> Result<Option<&T>, ToolError>;
}

impl<T: ?Sized> ViaState<T> for HostParameter<T> {
    fn get(self, context: &ToolContext) -> Result<&T, ToolError> {
        (self.find)(context)?.ok_or_else(|| {
            ToolError::NotAvailable(format!(
                "the tool needs the host state `{}`, which this app does not have",
                std::any::type_name::<T>()
            ))
        })
    }

    fn find(self, context: &ToolContext) -> Result<Option<&T>, ToolError> {
        (self.find)(context)
    }
}

/// A type of host state that a tool needs.
#[derive(Debug, Clone, Copy)]
pub struct StateRequirement {
    /// The type's id; a function, since `TypeId::of` is not const on the oldest supported compiler.
    pub type_id: fn() -> TypeId,
    /// The type's name, for errors about missing state.
    pub type_name: fn() -> &'static str,
    /// Whether the tool works without the state.
    pub optional: bool,
}

impl StateRequirement {
    /// Reports whether the type is supplied by the runtime itself.
    pub(crate) fn is_context(&self) -> bool {
        (self.type_id)() == TypeId::of::<ToolContext>()
    }
}
