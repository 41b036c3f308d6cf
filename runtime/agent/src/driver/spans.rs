//! Spans, in the names of OpenTelemetry's `gen_ai.*` conventions.
//!
//! The name of a `tracing` span is a constant, so the name that a viewer shows is in the field `otel.name`, which
//! `tracing-opentelemetry` reads. Spans do not contain the content of the conversation unless [`Agent::record_content`]
//! is set. Without a subscriber, a span costs one comparison.

use std::time::Duration;

use serde::Serialize;
use tracing::Span;
use tracing::field::{Empty, display};

use super::report::{TurnReport, TurnStatus};
use crate::spec::Agent;
use crate::turn::{EndReason, Outcome};
use helve_core::tool::{ToolError, ToolResult, chain_text};
use helve_core::transcript::{Origin, SessionId, Usage};
use helve_model::{ModelError, ModelName, ModelRequest, Reply};
use helve_permission::call::CallSite;

/// Creates the span of a turn: `invoke_agent {agent}`.
pub(super) fn turn(agent: &Agent, origin: &Origin, session: &SessionId) -> Span {
    let span = tracing::info_span!(
        "invoke_agent",
        otel.name = format_args!("invoke_agent {}", agent.id),
        otel.kind = "internal",
        gen_ai.operation.name = "invoke_agent",
        gen_ai.agent.name = %agent.id,
        gen_ai.agent.id = %agent.id,
        gen_ai.conversation.id = Empty,
        helve.turn = %origin.turn,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        gen_ai.usage.cache_read.input_tokens = Empty,
        gen_ai.usage.cache_creation.input_tokens = Empty,
        gen_ai.usage.reasoning.output_tokens = Empty,
        helve.end_reason = Empty,
        "error.type" = Empty,
        otel.status_code = Empty,
        otel.status_description = Empty,
    );
    if !session.is_empty() {
        span.record("gen_ai.conversation.id", display(session));
    }
    span
}

pub(super) fn record_turn_end(span: &Span, report: &TurnReport) {
    if span.is_disabled() {
        return;
    }
    record_usage(span, &report.totals.usage);
    let error = report.error.as_deref();
    match report.status {
        TurnStatus::Ended(reason) => {
            let name = snake_case(&reason);
            span.record("helve.end_reason", &*name);
            if error.is_some() || reason == EndReason::Fatal {
                record_error(span, &name, error);
            }
        }
        TurnStatus::Waiting { .. } => {
            span.record("helve.end_reason", "waiting");
        }
        TurnStatus::Unrecorded => record_error(span, "unrecorded", error),
    }
}

/// Creates the span of a model call: `chat {model}`.
pub(super) fn chat(agent: &Agent, model: Option<&ModelName>, request: &ModelRequest) -> Span {
    let span = tracing::info_span!(
        "chat",
        otel.name = Empty,
        otel.kind = "client",
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = Empty,
        gen_ai.request.model = Empty,
        gen_ai.request.max_tokens = Empty,
        gen_ai.request.temperature = Empty,
        gen_ai.response.id = Empty,
        gen_ai.response.model = Empty,
        gen_ai.response.finish_reasons = Empty,
        gen_ai.response.time_to_first_chunk = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        gen_ai.usage.cache_read.input_tokens = Empty,
        gen_ai.usage.cache_creation.input_tokens = Empty,
        gen_ai.usage.reasoning.output_tokens = Empty,
        gen_ai.system_instructions = Empty,
        gen_ai.input.messages = Empty,
        gen_ai.output.messages = Empty,
        "error.type" = Empty,
        otel.status_code = Empty,
        otel.status_description = Empty,
    );
    if !span.is_disabled() {
        record_request(&span, agent, model, request);
    }
    span
}

fn record_request(span: &Span, agent: &Agent, model: Option<&ModelName>, request: &ModelRequest) {
    match model {
        Some(name) => {
            span.record("otel.name", display(format_args!("chat {}", name.model())));
            span.record("gen_ai.request.model", name.model());
            span.record("gen_ai.provider.name", name.provider());
        }
        None => {
            span.record("otel.name", "chat");
        }
    }
    let options = &request.options;
    if let Some(tokens) = options.max_output_tokens {
        span.record("gen_ai.request.max_tokens", tokens);
    }
    if let Some(temperature) = options.temperature {
        span.record("gen_ai.request.temperature", f64::from(temperature));
    }
    if agent.records_content {
        if let Some(system) = &request.system {
            span.record("gen_ai.system_instructions", &**system);
        }
        record_json(span, "gen_ai.input.messages", &request.messages);
    }
}

pub(super) fn record_reply(
    span: &Span,
    agent: &Agent,
    model: Option<&ModelName>,
    reply: &Result<Reply, ModelError>,
    silent: Option<Duration>,
) {
    if span.is_disabled() {
        return;
    }
    if let Some(silent) = silent {
        span.record("gen_ai.response.time_to_first_chunk", silent.as_secs_f64());
    }
    let reply = match reply {
        Ok(reply) => reply,
        Err(error) => {
            record_error(span, &model_error_type(error), Some(&chain_text(error)));
            return;
        }
    };
    record_usage(span, &reply.usage);
    let stop = serde_json::to_string(&[reply.stop]).unwrap_or_default();
    span.record("gen_ai.response.finish_reasons", stop);
    if let Some(source) = &reply.message.source {
        span.record("gen_ai.response.model", &*source.model);
        if model.is_none() {
            span.record("gen_ai.provider.name", &*source.provider);
        }
        if let Some(id) = &source.id {
            span.record("gen_ai.response.id", &**id);
        }
    }
    if agent.records_content {
        record_json(span, "gen_ai.output.messages", &[&reply.message]);
    }
}

/// Creates the span of a tool call: `execute_tool {tool}`.
pub(super) fn tool(agent: &Agent, site: &CallSite) -> Span {
    let call = &site.call;
    let span = tracing::info_span!(
        "execute_tool",
        otel.name = format_args!("execute_tool {}", call.name),
        otel.kind = "internal",
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = %call.name,
        gen_ai.tool.call.id = %call.id,
        "gen_ai.tool.type" = "function",
        gen_ai.tool.call.arguments = Empty,
        gen_ai.tool.call.result = Empty,
        helve.call = %site.address,
        "error.type" = Empty,
        otel.status_code = Empty,
        otel.status_description = Empty,
    );
    if agent.records_content {
        span.record("gen_ai.tool.call.arguments", &*call.arguments);
    }
    span
}

/// Records the error of a tool call, as the tool returned it.
pub(super) fn record_tool_error(span: &Span, agent: &Agent, result: &ToolResult) {
    if let Err(error) = result
        && !span.is_disabled()
    {
        // The text of an error may contain text of the conversation.
        let words = agent.records_content.then(|| error.to_string());
        record_error(span, tool_error_type(error), words.as_deref());
    }
}

/// Records the outcome of a tool call for the model, if contents are recorded.
pub(super) fn record_tool_outcome(span: &Span, agent: &Agent, outcome: &Outcome) {
    if agent.records_content && !span.is_disabled() {
        record_json(span, "gen_ai.tool.call.result", &outcome.content);
    }
}

fn record_usage(span: &Span, usage: &Usage) {
    span.record("gen_ai.usage.input_tokens", usage.input_tokens);
    span.record("gen_ai.usage.output_tokens", usage.output_tokens);
    let parts = [
        (
            "gen_ai.usage.cache_read.input_tokens",
            usage.cache_read_input_tokens,
        ),
        (
            "gen_ai.usage.cache_creation.input_tokens",
            usage.cache_creation_input_tokens,
        ),
        (
            "gen_ai.usage.reasoning.output_tokens",
            usage.reasoning_output_tokens,
        ),
    ];
    for (field, tokens) in parts {
        if tokens > 0 {
            span.record(field, tokens);
        }
    }
}

fn record_error(span: &Span, kind: &str, words: Option<&str>) {
    span.record("error.type", kind);
    span.record("otel.status_code", "ERROR");
    if let Some(words) = words {
        span.record("otel.status_description", words);
    }
}

fn record_json(span: &Span, field: &'static str, said: &(impl Serialize + ?Sized)) {
    if let Ok(json) = serde_json::to_string(said) {
        span.record(field, json);
    }
}

fn model_error_type(error: &ModelError) -> String {
    let kind = match error {
        ModelError::Api(error) => return snake_case(&error.kind),
        ModelError::Network { .. } => "network",
        ModelError::TimedOut { .. } => "timeout",
        ModelError::NotConfigured { .. } => "not_configured",
        ModelError::Provider(_) => "provider",
        ModelError::UnexpectedEnd => "broken_off",
        ModelError::Malformed(_) => "malformed",
        ModelError::ScriptEnded { .. } => "script_ended",
        _ => "_OTHER",
    };
    kind.to_owned()
}

/// Renders the name of a variant in the style of the other names: `RateLimited` is `rate_limited`.
fn snake_case(variant: &impl std::fmt::Debug) -> String {
    let mut written = String::new();
    for c in format!("{variant:?}").chars() {
        if c.is_uppercase() && !written.is_empty() {
            written.push('_');
        }
        written.extend(c.to_lowercase());
    }
    written
}

fn tool_error_type(error: &ToolError) -> &'static str {
    match error {
        ToolError::InvalidArguments(_) => "invalid_arguments",
        ToolError::NotAvailable(_) => "not_available",
        ToolError::Failed(_) => "failed",
        ToolError::Denied(_) => "denied",
        ToolError::StaleWrite(_) => "stale_write",
        ToolError::Cancelled(_) => "cancelled",
        ToolError::Fatal(_) => "fatal",
        _ => "_OTHER",
    }
}
