//! What a tool takes by reference: state that the host put into the app, or the call's context.

use std::any::{Any, TypeId};
use std::marker::PhantomData;

use crate::tool::{ToolContext, ToolError};

/// A type that a tool may take by reference: host state, sized or `dyn`.
///
/// Implemented for every type that can be shared between threads.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be host state",
    label = "not `Send + Sync + 'static`",
    note = "calls run on several threads at once: share it behind a lock, or keep what is not `Sync` on a thread of its own"
)]
pub trait FromHost: Any {
    #[doc(hidden)]
    fn from_host(context: &ToolContext) -> Result<Option<&Self>, ToolError>;
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + Any + Send + Sync> FromHost for T {
    fn from_host(context: &ToolContext) -> Result<Option<&Self>, ToolError> {
        Ok(context.find_state::<T>()?)
    }
}

/// A reference parameter of a tool, asked of the host where its type is concrete.
pub struct Host<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: ?Sized> Host<T> {
    /// Names the type that is wanted.
    #[expect(
        clippy::new_without_default,
        reason = "hidden: only generated code names it"
    )]
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl Host<ToolContext> {
    /// Hands the context on; being inherent, it wins over the look-up in the state.
    pub fn get(self, context: &ToolContext) -> Result<&ToolContext, ToolError> {
        Ok(context)
    }
}

/// Asks the state.
pub trait ViaState<T: ?Sized> {
    /// Finds state that has to be there.
    fn get(self, context: &ToolContext) -> Result<&T, ToolError>
    where
        T: FromHost;
    /// Finds state that may be absent.
    fn find(self, context: &ToolContext) -> Result<Option<&T>, ToolError>
    where
        T: FromHost;
}

impl<T: ?Sized> ViaState<T> for Host<T> {
    fn get(self, context: &ToolContext) -> Result<&T, ToolError>
    where
        T: FromHost,
    {
        T::from_host(context)?.ok_or_else(|| {
            ToolError::NotAvailable(format!(
                "the tool needs the host state `{}`, which this app does not have",
                std::any::type_name::<T>()
            ))
        })
    }

    fn find(self, context: &ToolContext) -> Result<Option<&T>, ToolError>
    where
        T: FromHost,
    {
        T::from_host(context)
    }
}

/// One type of host state that a tool needs.
#[derive(Debug, Clone, Copy)]
pub struct Need {
    /// The type's identity; a function, since it is not constant on the oldest supported compiler.
    pub type_id: fn() -> TypeId,
    /// The type's name, for the error that asks for it.
    pub type_name: fn() -> &'static str,
    /// Whether the tool can do without.
    pub optional: bool,
}

impl Need {
    #[doc(hidden)]
    #[must_use]
    pub const fn of<T: ?Sized + FromHost>(optional: bool) -> Self {
        Self {
            type_id: TypeId::of::<T>,
            type_name: std::any::type_name::<T>,
            optional,
        }
    }

    /// Reports whether the runtime itself supplies it.
    pub(crate) fn is_context(&self) -> bool {
        (self.type_id)() == TypeId::of::<ToolContext>()
    }
}
