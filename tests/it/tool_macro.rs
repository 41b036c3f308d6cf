//! What a `#[tool]` does when it is called: through the facade, as a user's test would.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "a tool's signature is what is tested, and tests fail by panicking"
)]

mod arguments;
mod constraints;
mod facts;
mod failures;
mod host_state;
mod methods;
mod streams;
mod time;
mod toolsets;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use helve::__private::{schemars, serde};
use helve::prelude::*;
use helve::tool::{Concurrency, Denial, Progress, ProgressStream, ProgressUpdate, dispatch};
use helve::{Check, Registry, Risk, State, Tool, Toolset};
use insta::assert_snapshot;
use serde_json::json;

/// Calls a tool with JSON text and writes what came of it, error kind included.
async fn call_text(tool: impl Fn() -> Toolset, arguments: &str, context: &ToolContext) -> String {
    let tools = tool().tools();
    call_tool_text(&*tools[0], arguments, context).await
}

async fn call_tool_text(tool: &dyn Tool, arguments: &str, context: &ToolContext) -> String {
    match dispatch::call(tool, context, arguments).await {
        Ok(output) => output.text().into_owned(),
        Err(error) => format!("{}: {error}", error.kind()),
    }
}

/// Reports whether a call is taken, whatever the words of a refusal.
async fn accepts(tool: impl Fn() -> Toolset, arguments: &str) -> bool {
    match dispatch::call(&*tool().tools()[0], &ToolContext::new(), arguments).await {
        Ok(_) => true,
        Err(ToolError::InvalidArguments(_)) => false,
        Err(error) => panic!("{arguments}: {error}"),
    }
}

#[data]
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Unit {
    #[default]
    Celsius,
    Fahrenheit,
}

/// Does nothing.
#[tool]
fn arguments_free() {}
