//! The output of commands.

use serde_json::Value;

use super::command::CommandKind;
use super::{ReducedText, ReducerContext, ResultReducer, git_status, install, long, test_run};

/// Shortens the output of a command, by the kind of the command if it is known.
#[derive(Debug)]
pub(super) struct CommandReducer;

impl ResultReducer for CommandReducer {
    fn reduce(&self, call: &ReducerContext<'_>, text: &str) -> Option<ReducedText> {
        let command = call.text_argument("command").unwrap_or_default();
        let went_well = is_success(call.structured);
        let by_kind = match CommandKind::parse(&command) {
            // The text was requested verbatim.
            CommandKind::Contents => return None,
            CommandKind::Tests => test_run::reduce(text, went_well),
            CommandKind::Install if went_well => install::reduce(text),
            CommandKind::GitStatus if went_well => git_status::reduce(text),
            _ => None,
        };
        let short = by_kind.or_else(|| long::reduce(text))?;
        Some(ReducedText::new(short))
    }

    fn name(&self) -> &str {
        "helve's reducer of commands"
    }
}

/// Reports whether a command exited with code 0, or its exit is unknown.
fn is_success(structured: Option<&str>) -> bool {
    let known: Option<Value> = structured.and_then(|json| serde_json::from_str(json).ok());
    known
        .as_ref()
        .and_then(|known| known.get("exit"))
        .is_none_or(|exit| exit.get("code").and_then(Value::as_i64) == Some(0))
}
