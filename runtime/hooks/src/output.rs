//! What the output of a hook means.

use serde_json::{Map, Value};

use crate::event::HookEvent;
use helve_core::support::text::truncate;

/// The maximum length of a text of a hook, in characters.
const MAX_TEXT_CHARS: usize = 10_000;

/// What a hook decided about a call, a prompt or a question. The order is that of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum HookDecision {
    /// The call may run.
    Allow,
    /// The user is asked.
    Ask,
    /// The decision is left to the user, now or later.
    Defer,
    /// The call may not run, or the prompt is not sent.
    Deny,
}

/// The outcome of one hook.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct HookOutcome {
    /// The decision, if the hook made one.
    pub decision: Option<HookDecision>,
    /// The reason of the decision.
    pub reason: Option<String>,
    /// The input that replaces that of the call.
    pub updated_input: Option<Map<String, Value>>,
    /// The text that replaces the result of the call.
    pub updated_output: Option<String>,
    /// Texts for the model.
    pub context: Vec<String>,
    /// Texts for the user.
    pub messages: Vec<String>,
    /// Why the turn ends, if the hook ends it.
    pub stop: Option<String>,
}

/// How a command ended, and what it wrote.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommandOutput {
    /// The exit code; `None` if the command did not exit by itself.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Why there is no exit code, or how the command ended.
    pub(crate) ended: String,
}

/// The exit code that blocks.
const BLOCKED: i32 = 2;

/// Reads the output of a hook. The error says how the hook failed.
///
/// JSON on standard output counts beside every exit code, except that it allows nothing beside a failure. Text that does
/// not begin with `{` is no JSON.
pub(crate) fn read(event: HookEvent, output: &CommandOutput) -> Result<HookOutcome, String> {
    let Some(code) = output.code else {
        return Err(output.ended.clone());
    };
    let text = output.stdout.trim();
    let parsed = text.starts_with('{').then(|| parse(event, text));
    if code == BLOCKED && event != HookEvent::PermissionRequest {
        let outcome = parsed.and_then(Result::ok).unwrap_or_default();
        return Ok(blocked(outcome, &output.stderr));
    }
    match (parsed, code) {
        (Some(Ok(outcome)), 0) => Ok(outcome),
        (Some(Ok(outcome)), _) if outcome.is_restrictive() => Ok(outcome),
        (Some(Ok(outcome)), _) => Err(failure(output, outcome.reason.as_deref())),
        (Some(Err(why)), 0) => Err(why),
        (Some(Err(_)) | None, 1.. | ..=-1) => Err(failure(output, None)),
        (None, 0) => Ok(HookOutcome {
            context: plain_text(event, text),
            ..HookOutcome::default()
        }),
    }
}

/// Returns the text of a hook that writes no JSON, at the events at which it is for the model.
fn plain_text(event: HookEvent, text: &str) -> Vec<String> {
    let is_context = matches!(event, HookEvent::UserPromptSubmit | HookEvent::SessionStart);
    let text = Some(text).filter(|text| is_context && !text.is_empty());
    text.map(bounded).into_iter().collect()
}

fn blocked(mut outcome: HookOutcome, stderr: &str) -> HookOutcome {
    if outcome.decision != Some(HookDecision::Deny) {
        let reason = Some(bounded(stderr.trim())).filter(|reason| !reason.is_empty());
        outcome.reason = reason;
        outcome.decision = Some(HookDecision::Deny);
    }
    outcome
}

fn failure(output: &CommandOutput, reason: Option<&str>) -> String {
    let stderr = output.stderr.trim();
    let told = reason.or(Some(stderr)).filter(|text| !text.is_empty());
    match told {
        Some(told) => format!("{}: {}", output.ended, bounded(told)),
        None => output.ended.clone(),
    }
}

impl HookOutcome {
    /// Reports whether the outcome only takes something away, so that it counts although the command failed.
    fn is_restrictive(&self) -> bool {
        self.stop.is_some() || self.decision.is_some_and(|made| made > HookDecision::Allow)
    }
}

fn parse(event: HookEvent, text: &str) -> Result<HookOutcome, String> {
    let fields: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| format!("its JSON is invalid: {error}"))?;
    let mut outcome = HookOutcome::default();
    if fields.get("continue") == Some(&Value::Bool(false)) {
        let reason = string(&fields, "stopReason");
        outcome.stop = Some(reason.unwrap_or_else(|| "a hook ended the turn".to_owned()));
    }
    outcome.messages.extend(string(&fields, "systemMessage"));
    match fields.get("decision").and_then(Value::as_str) {
        None => {}
        Some("block") => outcome.decide(HookDecision::Deny, string(&fields, "reason")),
        Some("approve") => outcome.decide(HookDecision::Allow, string(&fields, "reason")),
        Some(other) => return Err(format!("its `decision` is `{other}`")),
    }
    match fields.get("hookSpecificOutput") {
        None | Some(Value::Null) => {}
        Some(Value::Object(specific)) => parse_specific(event, specific, &mut outcome)?,
        Some(_) => return Err("its `hookSpecificOutput` is no object".to_owned()),
    }
    if outcome.is_restrictive() && outcome.reason.is_none() {
        // Many scripts write their reason for the user alone.
        outcome.reason = outcome.messages.first().cloned();
    }
    Ok(outcome)
}

fn parse_specific(
    event: HookEvent,
    fields: &Map<String, Value>,
    outcome: &mut HookOutcome,
) -> Result<(), String> {
    if let Some(named) = fields.get("hookEventName").and_then(Value::as_str)
        && named != event.name()
    {
        return Err(format!("its `hookEventName` is `{named}`"));
    }
    outcome.context.extend(string(fields, "additionalContext"));
    match event {
        HookEvent::PreToolUse => {
            if let Some(made) = fields.get("permissionDecision") {
                let decision = match made.as_str() {
                    Some("allow") => HookDecision::Allow,
                    Some("ask") => HookDecision::Ask,
                    Some("defer") => HookDecision::Defer,
                    Some("deny") => HookDecision::Deny,
                    _ => return Err(format!("its `permissionDecision` is `{made}`")),
                };
                outcome.decide(decision, string(fields, "permissionDecisionReason"));
            }
            outcome.updated_input = updated_input(fields)?;
        }
        HookEvent::PermissionRequest => {
            if let Some(Value::Object(decision)) = fields.get("decision") {
                parse_permission(decision, outcome)?;
            }
        }
        HookEvent::PostToolUse => {
            let replaced = ["updatedToolOutput", "updatedMCPToolOutput"];
            let replaced = replaced.iter().find_map(|name| fields.get(*name));
            outcome.updated_output = replaced.filter(|value| !value.is_null()).map(text_of);
        }
        _ => {}
    }
    Ok(())
}

fn parse_permission(fields: &Map<String, Value>, outcome: &mut HookOutcome) -> Result<(), String> {
    let message = string(fields, "message");
    match fields.get("behavior").and_then(Value::as_str) {
        Some("allow") => outcome.decide(HookDecision::Allow, message),
        Some("deny") => outcome.decide(HookDecision::Deny, message),
        other => {
            return Err(format!(
                "its `behavior` is `{}`",
                other.unwrap_or("missing")
            ));
        }
    }
    let refused = ["updatedPermissions", "updatedInput"];
    for name in refused.iter().filter(|name| fields.contains_key(**name)) {
        let message = format!("`{name}` of a hook is not applied");
        outcome.messages.push(message);
        // Without the change, the call is not the one that the hook allows.
        if *name == "updatedInput" && outcome.decision == Some(HookDecision::Allow) {
            outcome.decision = None;
        }
    }
    if fields.get("interrupt") == Some(&Value::Bool(true)) {
        outcome.stop = Some("a hook ended the turn".to_owned());
    }
    Ok(())
}

fn updated_input(fields: &Map<String, Value>) -> Result<Option<Map<String, Value>>, String> {
    match fields.get("updatedInput") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(input)) => Ok(Some(input.clone())),
        Some(_) => Err("its `updatedInput` is no object".to_owned()),
    }
}

impl HookOutcome {
    fn decide(&mut self, decision: HookDecision, reason: Option<String>) {
        // The old field and the new one may both be there.
        if self.decision.is_none_or(|before| decision > before) {
            self.decision = Some(decision);
            self.reason = reason;
        }
    }
}

fn string(fields: &Map<String, Value>, name: &str) -> Option<String> {
    let text = fields.get(name).and_then(Value::as_str)?.trim();
    (!text.is_empty()).then(|| bounded(text))
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn bounded(text: &str) -> String {
    truncate(text, MAX_TEXT_CHARS).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn describe(event: HookEvent, code: i32, stdout: &str, stderr: &str) -> String {
        let output = CommandOutput {
            code: Some(code),
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            ended: format!("exit code {code}"),
        };
        match read(event, &output) {
            Err(why) => format!("failed: {why}"),
            Ok(HookOutcome {
                decision,
                reason,
                context,
                stop,
                ..
            }) => format!("{decision:?} {reason:?} {context:?} {stop:?}"),
        }
    }

    #[test]
    fn exit_codes_and_json_decide_together() {
        let pre = |code, stdout: &str, stderr: &str| {
            describe(HookEvent::PreToolUse, code, stdout, stderr)
        };
        let decision = |decision: &str| {
            format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{decision}","permissionDecisionReason":"why"}}}}"#
            )
        };
        let lines = [
            pre(0, "", ""),
            pre(0, "All is well.", ""),
            pre(0, &decision("allow"), ""),
            pre(0, &decision("deny"), ""),
            pre(0, &decision("defer"), ""),
            pre(1, &decision("deny"), "noise"),
            pre(1, &decision("ask"), "noise"),
            pre(1, &decision("allow"), "noise"),
            pre(2, &decision("allow"), "blocked"),
            pre(2, &decision("deny"), "blocked"),
            pre(2, "{broken", "blocked"),
            pre(1, "", "Traceback"),
            pre(127, "", "sh: nothing: not found"),
            pre(0, "{\"decision\": \"blo", ""),
            pre(0, r#"{"decision":"block","reason":"old"}"#, ""),
            pre(
                0,
                r#"{"decision":"block","systemMessage":"told the user"}"#,
                "",
            ),
            pre(0, r#"{"decision":"approve"}"#, ""),
            pre(0, r#"{"decision":"maybe"}"#, ""),
            pre(0, r#"{"continue":false,"stopReason":"enough"}"#, ""),
            pre(0, r#"{"hookSpecificOutput":{"hookEventName":"Stop"}}"#, ""),
        ];
        insta::assert_snapshot!(lines.join("\n"), @r#"
        None None [] None
        None None [] None
        Some(Allow) Some("why") [] None
        Some(Deny) Some("why") [] None
        Some(Defer) Some("why") [] None
        Some(Deny) Some("why") [] None
        Some(Ask) Some("why") [] None
        failed: exit code 1: why
        Some(Deny) Some("blocked") [] None
        Some(Deny) Some("why") [] None
        Some(Deny) Some("blocked") [] None
        failed: exit code 1: Traceback
        failed: exit code 127: sh: nothing: not found
        failed: its JSON is invalid: EOF while parsing a string at line 1 column 17
        Some(Deny) Some("old") [] None
        Some(Deny) Some("told the user") [] None
        Some(Allow) None [] None
        failed: its `decision` is `maybe`
        None None [] Some("enough")
        failed: its `hookEventName` is `Stop`
        "#);
    }

    #[test]
    fn plain_text_is_context_where_it_is_for_the_model() {
        let at = |event| describe(event, 0, "The branch is main.\n", "");
        assert_eq!(
            at(HookEvent::UserPromptSubmit),
            r#"None None ["The branch is main."] None"#
        );
        assert_eq!(
            at(HookEvent::SessionStart),
            r#"None None ["The branch is main."] None"#
        );
        assert_eq!(at(HookEvent::PostToolUse), "None None [] None");
    }

    #[test]
    fn a_question_is_not_answered_by_an_exit_code() {
        let request = |code, behavior: &str, more: &str| {
            let json = format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{{"behavior":"{behavior}"{more}}}}}}}"#
            );
            describe(HookEvent::PermissionRequest, code, &json, "")
        };
        assert_eq!(
            describe(HookEvent::PermissionRequest, 2, "", "no"),
            "failed: exit code 2: no"
        );
        assert_eq!(request(0, "allow", ""), "Some(Allow) None [] None");
        assert_eq!(
            request(0, "deny", r#","message":"no""#),
            r#"Some(Deny) Some("no") [] None"#
        );
        assert_eq!(
            request(0, "allow", r#","updatedInput":{}"#),
            "None None [] None"
        );
    }

    proptest! {
        /// Whatever a hook that fails writes, it never allows.
        #[test]
        fn a_failure_allows_nothing(code in prop_oneof![Just(1), Just(2), 3..256], text in ".{0,40}", made in "allow|ask|deny|defer|other") {
            let json = format!(r#"{{"hookSpecificOutput":{{"permissionDecision":"{made}"}}}}"#);
            for stdout in [text, json] {
                let output = CommandOutput { code: Some(code), stdout, ..CommandOutput::default() };
                if let Ok(outcome) = read(HookEvent::PreToolUse, &output) {
                    prop_assert!(outcome.decision > Some(HookDecision::Allow));
                }
            }
        }
    }
}
