//! Helpers for tests of tools: they call a single function without an app.

use std::any::Any;
use std::sync::Arc;

use serde::Serialize;

use crate::registry::linked;
use crate::tool::{State, Tool, ToolContext, ToolError, ToolResult, dispatch};
use crate::toolset::private::function_id;

/// Calls a tool, given as its function, with arguments that serialise to an object. A call that the tool's own check
/// denies does not run.
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
/// The errors of the tool; [`ToolError::NotAvailable`] if the function is not a tool.
pub async fn call<F: Any>(function: F, arguments: impl Serialize) -> ToolResult {
    call_with(function, arguments, &ToolContext::new()).await
}

/// Calls a tool as [`call`] does, in the context that the test provides.
///
/// # Errors
///
/// The errors of the tool; [`ToolError::NotAvailable`] if the function is not a tool.
pub async fn call_with<F: Any>(
    function: F,
    arguments: impl Serialize,
    context: &ToolContext,
) -> ToolResult {
    // The registry is not used: several test files may form one binary, and each may have a tool with the same name.
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

/// Creates a context with one value of host state.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::prelude::*;
///
/// struct User(&'static str);
///
/// /// Greets the user.
/// #[tool(read_only)]
/// fn greet(user: &User) -> String {
///     format!("Hello, {}", user.0)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let context = helve::testing::context_with(User("Ada"));
/// let output = helve::testing::call_with(greet, helve::json!({}), &context).await;
/// assert_eq!(output.expect("the tool does not fail").text(), "Hello, Ada");
/// # }
/// ```
pub fn context_with<T: Any + Send + Sync>(state: T) -> ToolContext {
    let mut app = State::new();
    app.insert(state);
    ToolContext::builder().app(Arc::new(app)).build()
}
