//! The `bash` tool, as the built-in one judges its calls.

use futures_util::future::BoxFuture;
use helve_runtime::permission::shell;
use helve_runtime::schema::{self, Mistakes};
use helve_runtime::tool::{Coverage, Facts, Tool, ToolContext, ToolResult, ToolSpec};
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

    fn facts(&self, context: &ToolContext, arguments: &str) -> Result<Facts, Mistakes> {
        let command = command(arguments);
        let checked = shell::check(context, &command);
        let mut facts = Facts::of(&self.0);
        facts.check = checked.check;
        facts.touches = checked.touches;
        facts.parts = checked.parts;
        facts.suggested_rules = shell::suggest(&command);
        Ok(facts)
    }

    fn match_rule(
        &self,
        _: &ToolContext,
        arguments: &str,
        rule: &str,
    ) -> Option<Result<Coverage, Mistakes>> {
        Some(Ok(shell::covers(rule, &command(arguments))))
    }

    fn call<'a>(
        &'a self,
        _: &'a ToolContext,
        _: &'a str,
    ) -> Result<BoxFuture<'a, ToolResult>, Mistakes> {
        unreachable!("nothing runs to judge a call")
    }
}
