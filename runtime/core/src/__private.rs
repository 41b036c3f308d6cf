//! Items for generated code. They are not part of the API and change with the macro.

pub use std::any::TypeId;
pub use std::borrow::Cow;
pub use std::convert::Into;
pub use std::sync::Arc;
pub use std::time::Duration;

pub use schemars;
pub use serde;
pub use serde_json;

pub use crate::__register_tool as register_tool;
pub use crate::capability::Requires;
pub use crate::registry::private::*;
pub use crate::schema::{Constraints, Mistakes};
pub use crate::tool::argument::{DefaultText, DefaultTrait, ParameterKind, Slot};
pub use crate::tool::definition::{Declaration, Invocation, OutputSchemaSlot};
pub use crate::tool::dispatch::blocking;
pub use crate::tool::error::conversion::{ErrorValue, IntoToolError, ViaBox, ViaInto};
pub use crate::tool::host::{HostParameter, ViaState, host_parameter};
pub use crate::tool::parameter::default_json::{DefaultJson, NoJson};
pub use crate::tool::parameter::{DefaultValue, default_slot};
pub use crate::tool::return_value::output_schema::{
    NoSchema, OutputSchemaProbe, ViaResultSchema, ViaSchema,
};
pub use crate::tool::return_value::{
    ReturnValue, SplitPlain, SuccessValue, ViaSerialize, ViaStream,
};
pub use crate::tool::signature::{Callable, FitsSignature, Uncallable, check_signature};
pub use crate::tool::started::{IntoStartedCall, StartedCall, poll_once};
pub use crate::tool::stored::StoredArguments;
pub use crate::tool::{
    Annotations, Check, CheckResult, Concurrency, Coverage, Facts, Parameter, Risk, ToolArg,
    ToolContext, ToolDef, ToolResult,
};
pub use crate::toolset::Toolset;
pub use crate::toolset::private::{
    MethodOwner, function_id, identify_function, method_owner, select,
};

/// Takes the value of a slot that the parser has filled.
///
/// # Panics
///
/// Never after a parse that succeeded: it fills every slot or fails.
#[inline]
#[must_use]
pub fn take<T>(slot: Option<T>) -> T {
    match slot {
        Some(value) => value,
        None => unreachable!("the parser fills every slot of a call that it accepts"),
    }
}

/// Boxes the future of a call.
#[inline]
pub fn box_call<'a>(future: impl Future<Output = ToolResult> + Send + 'a) -> StartedCall<'a> {
    StartedCall::Running(Box::pin(future))
}
