//! `events`: describes the NDJSON events of a turn.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::Value;

use crate::args;
use helve_agent::{EventLine, NDJSON_VERSION};
use helve_terminal::output;

pub(super) fn command() -> Command {
    Command::new("events")
        .about("Describe the events that `run --json` writes")
        .arg(args::flag("schema", "Print the JSON Schema of an event"))
}

pub(super) fn run(matches: &ArgMatches) -> ExitCode {
    let schema = EventLine::schema();
    match matches.get_flag("schema") {
        true => output::line(&format!("{schema:#}")),
        false => output::print(&render_events(&schema)),
    }
    ExitCode::SUCCESS
}

/// Lists the kinds of events with what each is, from the same schema.
fn render_events(schema: &Value) -> String {
    let mut text = format!(
        "One JSON object per line, version {NDJSON_VERSION}: a `header`, then the events. Ignore unknown types and \
         fields.\n"
    );
    let event = &schema["$defs"]["AgentEvent"];
    text.push_str("\nfields of every event\n");
    text.push_str(&render_fields(schema, event));
    text.push_str(&render_event(
        schema,
        "header",
        &schema["$defs"]["EventHeader"],
    ));
    for event in event["oneOf"].as_array().into_iter().flatten() {
        if let Some(name) = event["properties"]["type"]["const"].as_str() {
            text.push_str(&render_event(schema, name, event));
        }
    }
    text.push_str("\n? marks optional fields. Run `events --schema` for the JSON Schema.\n");
    text
}

fn render_event(schema: &Value, name: &str, kind: &Value) -> String {
    let own = render_fields(schema, kind);
    // The fields of an event whose content is another type are described at that type.
    let of_type = resolve_reference(schema, kind).map(|kind| render_fields(schema, kind));
    let what = first_paragraph(&kind["description"]);
    format!("\n{name}: {what}\n{own}{}", of_type.unwrap_or_default())
}

fn render_fields(schema: &Value, kind: &Value) -> String {
    let required = kind["required"].as_array();
    let is_required = |field: &str| required.is_some_and(|names| names.iter().any(|n| n == field));
    let mut text = String::new();
    let properties = kind["properties"].as_object();
    for (field, is) in properties.into_iter().flatten() {
        if field == "type" {
            continue;
        }
        let mark = if is_required(field) { "" } else { "?" };
        let own = first_paragraph(&is["description"]);
        let what = match resolve_reference(schema, is) {
            Some(type_) if own.is_empty() => first_paragraph(&type_["description"]),
            _ => own,
        };
        text.push_str(&format!("    {field}{mark}: {what}\n"));
    }
    text
}

/// Finds the type that a schema refers to.
fn resolve_reference<'s>(schema: &'s Value, from: &Value) -> Option<&'s Value> {
    let name = from["$ref"].as_str()?.strip_prefix("#/$defs/")?;
    schema["$defs"].get(name)
}

fn first_paragraph(description: &Value) -> String {
    let text = description.as_str().unwrap_or_default();
    let first = text.split("\n\n").next().unwrap_or_default();
    first.replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::render_events;
    use helve_agent::EventLine;

    #[test]
    #[expect(clippy::too_many_lines, reason = "the snapshot is long")]
    fn every_kind_is_described_on_a_few_lines() {
        insta::assert_snapshot!(render_events(&EventLine::schema()), @r"
        One JSON object per line, version 1: a `header`, then the events. Ignore unknown types and fields.

        fields of every event
            agent: The agent.
            turn: The turn; its id is its own within the session.
            parent_call?: The call of another agent's turn that this turn works for.
            key?: The address of the call that it happened to, which is its idempotency key.
            at?: The time of the entry in the session's journal from which the event follows. Events without it, such as pieces of text and progress, are in no journal.
            seq?: The number of that entry, of the last event that follows from it. A reader that has seen this event continues with the events after this number.

        header: The first line: which format follows, and who writes it.
            version: The version of the format: 1.
            app: The program that writes.
            app_version: Its version.
            session?: The session that the events belong to, if it is kept.

        turn_started: The turn began.

        user_message: What the user said, or the task that an agent gave its delegate.
            content: The content.

        message_delta: The next piece of the model's message.
            text: The text.

        reasoning_delta: The next piece of the model's reasoning.
            text: The thinking.

        retry: A reply is asked for once more, from its beginning: forget the deltas of this reply so far.
            attempt: The number of the attempt that follows; the first one is 1, so this is 2 or more.
            wait_ms: How long is waited before it, in milliseconds.
            error: What went wrong with the one before, in words.
            fallback?: The model that is asked next, as `provider/model`, where it is another one.

        tool_call_started: The model begins to write a call of a tool.
            call: The provider's id of the call.
            name: The tool.

        tool_call_delta: The model wrote more of the arguments of a call.
            call: The provider's id of the call.
            arguments: The next piece of their text.

        tool_call: The model called a tool, with all of its arguments; what comes of it follows. The event is sent again if the approver changed the arguments.
            call: The call.
            name: The tool.
            arguments: The arguments.

        reply: A reply of the model is complete, and this is the whole of it; its calls follow. Its pieces came before, if the events were read as they happened.
            round: The number of the reply within the turn, from 1.
            text: The text.
            reasoning?: The reasoning.
            usage: The tokens.
            cost_micro_usd?: The money, where the agent knows the prices.

        tool_progress: The progress of a tool call; not for the model.
            call: The call.
            text?: A piece of output; the pieces of one stream follow one another.
            stream?: Where the text comes from; there is none without text.
            message?: What is happening, in words.
            progress?: How much is done; it only ever grows.
            total?: How much there is in all, where that is known.
            closed?: Whether this is the last that the call reports.
            audience?: Who is to see it.

        tool_result: A call has its result.
            call: The call.
            name: The tool.
            content: What the model will read.
            is_error: Whether the call failed, or never ran.
            exit?: The exit of the command that the call ran. A command that failed is no failed call.
            cached?: Whether it is the result of an earlier call, which nothing has changed since.

        asked: The question about a call is recorded, so that any process may answer it. The question that is shown, with what the call would change, is `approval_requested`, which follows if the events are read as they happen.
            call: The call.
            name: The tool.
            arguments: The arguments.
            reason: Why the call needs approval.
            safety?: Whether only a person may answer, for this call alone.
            suggestions?: Rules that would cover this call and others like it.

        approval_requested: A call needs approval.
            call: The call.
            name: The tool.
            arguments: The arguments.
            reason: Why the call needs approval.
            safety?: Whether only a person may answer, for this call alone.
            suggestions?: Rules that would cover this call and others like it.
            preview?: What the call would change.

        approval_decided: The approval of a call was decided.
            call: The call.
            decision: The decision.

        submitted: The submission of a call is recorded, so that any process may post its result. If the result is expected from outside of this process, `external_requested` follows, if the events are read as they happen.
            call: The call.
            name: The tool.
            arguments: The arguments.

        external_requested: A call is submitted for external execution; its result is posted.
            call: The call.
            name: The tool.
            arguments: The arguments.

        delegate_started: Another agent begins to work on a task, or goes on with one that was interrupted. The id of its turn is the address of the call, the key of this event; the events of its turn follow, with their own origin.
            call: The call.
            to: The agent. In JSON the field is `to`, because every event has a field `agent` for the agent of its turn.
            label?: The short name of the task, if the calling agent gave one.

        delegate_ended: Another agent no longer works on a task.
            call: The call.
            to: The agent.
            reason: The reason why its turn ended.
            totals: What its turn consumed, which is part of the totals of this turn.

        warning: An operation failed, and the turn continues without it.
            message: What, for a person.

        note: A note was recorded, which the model reads with its next call.
            source: The kind of author.
            name?: The name of the author.
            id: The id.
            text: The text.

        reviewed: A guard has decided about the prompt or the last reply.
            round: The round of the reply; 0 for the prompt.
            by: The guard; the names of all guards where the reply passes.
            review: The decision.

        suggested: What the user may say next, after the end of a turn. It is in no journal and in no conversation.
            prompts: The suggestions, the most useful first.
            usage: The tokens of the call that made them.
            cost_micro_usd?: The money, where the agent knows the prices.

        compacted: The conversation was made shorter: from here on the model sees a summary of what went before.

        usage: A reply of the model is complete, and this is what it used up.
            usage: The tokens.
            cost_micro_usd?: The money, where the agent knows the prices.
            time_to_first_token_ms?: How long the model was silent before the first piece of the reply, in milliseconds.

        lagged: This reader was too slow, and so many events before this one were dropped for it; their contents are in the session's journal.
            missed: How many.

        waiting: The turn waits for answers or results that come from elsewhere.
            approvals: The calls that wait for approval.
            external: The calls that wait for an external result.

        end: The turn is over.
            reason: Why.
            error?: What went wrong, if something did.

        ? marks optional fields. Run `events --schema` for the JSON Schema.
        ");
    }
}
