//! What tests of tools need: one call of one function, without an app.

use std::any::Any;
use std::sync::Arc;

use serde::Serialize;

use crate::registry::linked;
use crate::tool::{State, Tool, ToolContext, ToolError, ToolResult, dispatch};
use crate::toolset::private::function_id;

/// Calls a tool, given as its function, with arguments that serialise to an object.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::prelude::*;
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// fn add(
///     /// The first.
///     a: i64,
///     /// The second.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let output = helve::testing::call(add, serde_json::json!({ "a": 2, "b": 3 })).await.unwrap();
/// assert_eq!(output.text(), "5");
/// # }
/// ```
///
/// # Errors
///
/// As the tool fails; [`ToolError::NotAvailable`] where the function is not a tool.
pub async fn call<F: Any>(function: F, arguments: impl Serialize) -> ToolResult {
    call_with(function, arguments, &ToolContext::new()).await
}

/// Calls a tool as [`call`] does, in a context of the test's own.
///
/// # Errors
///
/// As the tool fails; [`ToolError::NotAvailable`] where the function is not a tool.
pub async fn call_with<F: Any>(
    function: F,
    arguments: impl Serialize,
    context: &ToolContext,
) -> ToolResult {
    // Not through the registry: tests of several files may be one binary, and each may have its own tool of a name.
    let id = function_id(&function);
    let Some(definition) = linked().find(|definition| definition.function() == id) else {
        return Err(ToolError::NotAvailable(format!(
            "`{}` is not a `#[tool]`",
            std::any::type_name::<F>()
        )));
    };
    let arguments = serde_json::to_string(&arguments)?;
    dispatch::call(&definition as &dyn Tool, context, &arguments).await
}

/// Makes a context that holds one value of host state.
pub fn context_with<T: Any + Send + Sync>(state: T) -> ToolContext {
    let mut app = State::new();
    app.insert(state);
    ToolContext::builder().app(Arc::new(app)).build()
}
