//! The `bash` tool, as the built-in one judges its calls.

use std::sync::Arc;

use helve_runtime::permission::shell;
use helve_runtime::schema::{self, Mistakes};
use helve_runtime::tool::{Facts, PreparedCall, Tool, ToolContext, ToolSpec};
use serde_json::{Value, json};

/// A shell of a recorded case.
pub(crate) struct Bash(ToolSpec);

impl Bash {
    pub(crate) fn new() -> Self {
        let schema = schema::from_value(json!({ "type": "object" })).expect("a schema");
        Self(ToolSpec::new("Bash", "Recorded.", schema))
    }
}

fn command(arguments: &str) -> String {
    let input: Value = serde_json::from_str(arguments).expect("arguments");
    input["command"].as_str().expect("a command").to_owned()
}

impl Tool for Bash {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        let facts =
            Facts::from_spec(&self.0).with_check(shell::check(context, &command(&arguments)));
        Ok(PreparedCall::new(arguments, facts, |_| {
            unreachable!("nothing runs to judge a call")
        }))
    }
}
