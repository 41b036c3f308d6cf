//! The tool, and where its calls are executed.

use std::sync::Arc;
use std::time::Duration;

use helve::capability::ElicitationResult;
use helve::prelude::*;
use helve::schema::Mistakes;
use helve::tool::{Execution, PreparedCall, Tool, ToolWrapper};
use serde::Deserialize;

use super::answers::Answers;
use super::form;
use super::question::{self, AskedQuestion};

/// The settings of `ask_user`.
#[helve::data]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[serde(default)]
pub struct AskUserSettings {
    /// The seconds that the user has for an answer, after which defaults are used [default: no limit]
    #[schemars(range(min = 1))]
    pub timeout: Option<u64>,
}

/// Asks the user one to four questions, and waits for the answers.
///
/// Use it where the user has to decide, and where a wrong guess costs more than the question. Ask for everything at once,
/// with the best option first. Do not ask for what you can find out, for permission to call a tool, or for passwords and
/// keys. The status says whether the user answered, declined, did not answer in time, or is not there: only `answered`
/// is a decision of the user.
#[tool(
    always,
    read_only,
    title = "Ask the user",
    examples = [r#"{"questions": [{"id": "database", "text": "Which database?", "kind": "one", "options": ["SQLite", "Postgres"]}]}"#]
)]
async fn ask_user(
    /// The questions.
    #[arg(min_len = 1, max_len = 4)]
    questions: Vec<AskedQuestion>,
    settings: Option<&AskUserSettings>,
    cx: &ToolContext,
) -> Result<Answers, ToolError> {
    question::check(&questions).map_err(ToolError::failed)?;
    let form = form::elicitation(&questions);
    let client = cx.client();
    let asking = client.elicit(&form);
    let timeout = settings.and_then(|settings| settings.timeout);
    let answered = match timeout.map(Duration::from_secs) {
        Some(limit) => match tokio::time::timeout(limit, asking).await {
            Ok(answered) => answered,
            Err(_) => return Ok(Answers::timed_out(&questions)),
        },
        None => asking.await,
    };
    Ok(match answered {
        Ok(ElicitationResult::Accept(values)) => Answers::from_form(&questions, &values),
        Ok(ElicitationResult::Decline | ElicitationResult::Cancel) => Answers::declined(),
        Err(error) => Answers::nobody_there(&error.to_string()),
    })
}

/// Returns the toolset of `ask_user`.
///
/// Within a turn, a call waits for a result from outside, which the command `sessions result` or
/// [`Posting::result`](helve::agent::session::Posting::result) posts, as [`Answers`]. Unless the approver
/// [defers such calls](helve::permission::Approver::defers_external_calls), the client of the context is asked at the
/// same time.
#[must_use]
pub fn toolset() -> Toolset {
    let local = toolset![ask_user];
    let tools = local.tools().into_iter();
    let tools = tools.map(|tool| AskUserTool(tool).into_tool());
    Toolset::from_tools(tools).settings::<AskUserSettings>("ask_user")
}

/// The tool, whose calls within a turn are external.
struct AskUserTool(Arc<dyn Tool>);

#[derive(Deserialize)]
struct AskUserArguments {
    questions: Vec<AskedQuestion>,
}

impl ToolWrapper for AskUserTool {
    fn inner(&self) -> &dyn Tool {
        &*self.0
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        let prepared = self.0.prepare(context, arguments)?;
        // Outside of a turn nothing can be posted. Questions that cannot be asked are refused by the body.
        let is_in_turn = !context.turn_id().is_empty();
        let asks = serde_json::from_str::<AskUserArguments>(prepared.text());
        let is_fit = asks.is_ok_and(|asks| question::check(&asks.questions).is_ok());
        if is_in_turn && is_fit {
            return Ok(prepared.with_execution(Execution::External));
        }
        Ok(prepared)
    }
}
