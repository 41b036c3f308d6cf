//! One call of a turn, from what the model said to what it reads back.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::EventKind;
use super::spec::Agent;
use super::turn::{Outcome, Plan};
use crate::model::OfferedTool;
use crate::permission::{Mode, Policy};
use crate::schema::Dialect;
use crate::tool::{Concurrency, Progress, ToolContext, ToolError, ToolResult};
use crate::toolset::Toolset;
use crate::transcript::{CallKey, Content, ToolCall};

/// Writes the tools of a request.
pub(super) fn offered(toolset: &Toolset) -> Arc<[OfferedTool]> {
    let offer = |tool: Arc<dyn crate::tool::Tool>| {
        let spec = tool.spec();
        OfferedTool::new(
            &*spec.name,
            spec.description.clone(),
            spec.input_schema.render(Dialect::Mcp),
        )
    };
    toolset.tools().into_iter().map(offer).collect()
}

/// Looks at a call: what it would be, and whether it may run.
pub(super) fn plan(
    toolset: &Toolset,
    context: &ToolContext,
    call: &ToolCall,
) -> Result<Plan, ToolError> {
    let tool = toolset
        .get(&call.name)
        .ok_or_else(|| toolset.unknown(&call.name))?;
    let judgement = Policy::new(Mode::Default).judge(&*tool, context, &call.arguments)?;
    Ok(Plan {
        exclusive: judgement.facts.concurrency == Concurrency::Exclusive,
        idempotent: judgement.effects().may_rerun,
        verdict: judgement.verdict,
    })
}

/// Runs a call that may run.
pub(super) async fn run(
    agent: &Agent,
    context: &ToolContext,
    call: &ToolCall,
    key: CallKey,
    stop: CancellationToken,
    emit: impl Fn(EventKind) + Send + Sync + 'static,
) -> ToolResult {
    let id = call.id.clone();
    let progress = Progress::to(move |update| {
        emit(EventKind::ToolProgress {
            call: id.clone(),
            update,
        });
    });
    let context = context
        .derive()
        .agent(agent.id.clone())
        .call(call.id.clone())
        .message_number(key.round)
        .cancellation(stop)
        .progress(progress)
        .build();
    agent
        .toolset
        .call(&call.name, &call.arguments, &context)
        .await
}

/// Writes what the model reads of a result.
pub(super) fn outcome(result: ToolResult) -> Outcome {
    match result {
        Ok(output) => output.into(),
        Err(ToolError::Fatal(fatal)) => Outcome::fatal(Content::text(fatal.to_string())),
        Err(error) => Outcome::error(Content::text(error.to_string())),
    }
}
