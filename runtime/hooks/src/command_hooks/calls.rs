//! The events of a call.

use serde_json::Value;

use super::{CallId, CommandHooks, MAX_PENDING, PendingCall};
use crate::alias::{self, CallView};
use crate::enclose::enclose;
use crate::event::HookEvent;
use crate::input::{self, EventTurn};
use crate::merge::merge;
use crate::output::{HookDecision, HookOutcome};
use helve_core::tool::{ToolError, ToolOutput, ToolResult};
use helve_core::transcript::RawJson;
use helve_permission::call::CallSite;
use helve_permission::{Decider, Verdict};

impl CommandHooks {
    /// Runs the hooks before a call. Returns the arguments to judge.
    pub(super) async fn before_call(&self, site: &CallSite, arguments: RawJson) -> RawJson {
        let mut outcome = self.run_before(site, arguments.as_str()).await;
        let changed = self.changed_arguments(site, &arguments, &mut outcome);
        let pending = PendingCall {
            context: std::mem::take(&mut outcome.context),
            outcome: Some(outcome),
            arguments: changed.clone(),
            may_allow: false,
        };
        self.remember(site, pending);
        changed.unwrap_or(arguments)
    }

    /// Applies what the hooks said before a call to its verdict. The hooks run here for a call whose arguments are
    /// settled.
    pub(super) async fn decide(&self, site: &CallSite, verdict: Verdict) -> Verdict {
        let mut pending = self.take_pending(site).unwrap_or_default();
        let mut outcome = match pending.outcome.take() {
            Some(outcome) => outcome,
            None => self.run_before(site, site.call.arguments.as_str()).await,
        };
        pending.context.append(&mut outcome.context);
        pending.may_allow = may_allow(site, &verdict);
        let decided = apply_decision(verdict, &outcome, pending.may_allow);
        if !pending.context.is_empty() || pending.arguments.is_some() || pending.may_allow {
            self.remember(site, pending);
        }
        decided
    }

    /// Reports whether a hook may allow the call that a question is about.
    pub(crate) fn may_allow(&self, site: &CallSite) -> bool {
        let pending = self.0.pending.lock();
        let mut pending = pending.iter();
        pending.any(|(other, call)| other.is_of(site) && call.may_allow)
    }

    async fn run_before(&self, site: &CallSite, arguments: &str) -> HookOutcome {
        let views = self.views(site, arguments);
        let mut outcomes = Vec::with_capacity(views.len());
        for view in &views {
            outcomes.push(
                self.run_about_call(HookEvent::PreToolUse, site, view, &[])
                    .await,
            );
        }
        let mut outcome = merge(outcomes);
        let is_partial = views.iter().any(|view| view.is_partial);
        if outcome.updated_input.take_if(|_| is_partial).is_some() {
            let reason = "a hook changed the input of a patch, which is not supported";
            outcome.decision = Some(HookDecision::Deny);
            outcome.reason = Some(reason.to_owned());
        }
        if let Some(why) = &outcome.stop {
            self.stop(turn_of(site), why);
            outcome.decision = Some(HookDecision::Deny);
            outcome.reason = outcome.reason.or_else(|| Some(why.clone()));
        }
        self.report_all(&outcome.messages);
        outcome
    }

    fn changed_arguments(
        &self,
        site: &CallSite,
        arguments: &RawJson,
        outcome: &mut HookOutcome,
    ) -> Option<RawJson> {
        let input = outcome.updated_input.take()?;
        let project = &self.0.runner.project;
        let changed = alias::to_arguments(&site.call.name, arguments.as_str(), &input, project);
        let changed = Value::Object(changed);
        let before: Option<Value> = serde_json::from_str(arguments.as_str()).ok();
        (before.as_ref() != Some(&changed)).then(|| changed.to_string().into())
    }

    /// Runs the hooks after a call. Returns the result for the model.
    pub(super) async fn after_call(&self, site: &CallSite, result: ToolResult) -> ToolResult {
        let pending = self.take_pending(site).unwrap_or_default();
        let mut notes = Vec::new();
        if let Some(arguments) = &pending.arguments {
            let arguments = arguments.as_str();
            notes.push(format!(
                "A hook changed the arguments of this call. It was made with: {arguments}"
            ));
        }
        let context = pending.context.iter();
        notes.extend(context.map(|text| enclose(HookEvent::PreToolUse, text)));
        let event = match &result {
            Ok(_) => HookEvent::PostToolUse,
            Err(ToolError::Cancelled(_) | ToolError::Fatal(_)) => return result,
            Err(_) => HookEvent::PostToolUseFailure,
        };
        if !self.has_event(event) {
            return with_notes(result, notes);
        }
        let outcome = self.run_after(event, site, &result).await;
        let context = outcome.context.iter();
        notes.extend(context.map(|text| enclose(event, text)));
        if outcome.decision == Some(HookDecision::Deny) {
            let reason = outcome.reason.as_deref().unwrap_or("without a reason");
            notes.push(enclose(event, &format!("A hook objects: {reason}")));
        }
        let result = match (result, outcome.updated_output) {
            (Ok(output), Some(text)) => Ok(replace_text(output, text)),
            (result, _) => result,
        };
        with_notes(result, notes)
    }

    async fn run_after(
        &self,
        event: HookEvent,
        site: &CallSite,
        result: &ToolResult,
    ) -> HookOutcome {
        let mut outcomes = Vec::new();
        for view in self.views(site, site.call.arguments.as_str()) {
            let response = input::tool_response(&view.name, &view.input, result);
            let name = match result {
                Ok(_) => "tool_response",
                Err(_) => "error",
            };
            outcomes.push(
                self.run_about_call(event, site, &view, &[(name, response)])
                    .await,
            );
        }
        let outcome = merge(outcomes);
        if let Some(why) = &outcome.stop {
            self.stop(turn_of(site), why);
        }
        self.report_all(&outcome.messages);
        outcome
    }

    async fn run_about_call(
        &self,
        event: HookEvent,
        site: &CallSite,
        view: &CallView,
        more: &[(&str, Value)],
    ) -> HookOutcome {
        let names: Vec<&str> = view.names.iter().map(String::as_str).collect();
        let handlers = self.handlers(event, &names, Some(view));
        if handlers.is_empty() {
            return HookOutcome::default();
        }
        let session = self.current_session();
        let project = &self.0.runner.project;
        let mut input = input::base(event, &session, project, Some(turn_of(site)));
        input.insert("tool_name".to_owned(), view.name.clone().into());
        input.insert("tool_input".to_owned(), view.input.clone());
        if event != HookEvent::PermissionRequest {
            input.insert("tool_use_id".to_owned(), site.call.id.as_str().into());
        }
        for (name, value) in more {
            input.insert((*name).to_owned(), value.clone());
        }
        let input = Value::Object(input).to_string();
        self.run_handlers(handlers, &input).await
    }

    /// Runs the hooks that answer the question about a call.
    pub(crate) async fn before_question(&self, site: &CallSite) -> HookOutcome {
        let mut outcomes = Vec::new();
        for view in self.views(site, site.call.arguments.as_str()) {
            let event = HookEvent::PermissionRequest;
            outcomes.push(self.run_about_call(event, site, &view, &[]).await);
        }
        // A patch is allowed where the hooks allow each of its files.
        let is_allowed = outcomes
            .iter()
            .all(|outcome| outcome.decision == Some(HookDecision::Allow));
        let mut outcome = merge(outcomes);
        if outcome.decision == Some(HookDecision::Allow) && !is_allowed {
            outcome.decision = None;
        }
        if let Some(why) = &outcome.stop {
            self.stop(turn_of(site), why);
        }
        self.report_all(&outcome.messages);
        outcome
    }

    fn views(&self, site: &CallSite, arguments: &str) -> Vec<CallView> {
        alias::views(&site.call.name, arguments, &self.0.runner.project)
    }

    fn remember(&self, site: &CallSite, call: PendingCall) {
        let mut pending = self.0.pending.lock();
        pending.retain(|(other, _)| !other.is_of(site));
        if pending.len() >= MAX_PENDING {
            pending.pop_front();
        }
        pending.push_back((CallId::new(site), call));
    }

    fn take_pending(&self, site: &CallSite) -> Option<PendingCall> {
        let mut pending = self.0.pending.lock();
        let index = pending.iter().position(|(other, _)| other.is_of(site))?;
        pending.remove(index).map(|(_, call)| call)
    }
}

/// Returns the turn of a call.
fn turn_of(site: &CallSite) -> EventTurn<'_> {
    EventTurn {
        session: &site.session,
        origin: &site.origin,
    }
}

/// Reports whether a hook may allow a call: where a rule of the user could, and no rule asks.
fn may_allow(site: &CallSite, verdict: &Verdict) -> bool {
    let is_rule = matches!(site.decided_by, None | Some(Decider::AskRule(_)));
    match verdict {
        Verdict::Ask {
            safety: false,
            suggestions,
            ..
        } => !is_rule && !suggestions.is_empty(),
        _ => false,
    }
}

/// Applies the decision of hooks to a verdict.
fn apply_decision(verdict: Verdict, outcome: &HookOutcome, may_allow: bool) -> Verdict {
    let reason = |made: &str| match &outcome.reason {
        Some(reason) => format!("a hook {made}: {reason}"),
        None => format!("a hook {made}"),
    };
    match (outcome.decision, verdict) {
        (None, verdict) | (_, verdict @ Verdict::Deny { .. }) => verdict,
        (Some(HookDecision::Deny), _) => Verdict::deny(reason("denied the call")),
        (Some(HookDecision::Ask | HookDecision::Defer), Verdict::Allow) => {
            Verdict::ask(reason("asks about the call"))
        }
        (
            Some(HookDecision::Ask | HookDecision::Defer),
            Verdict::Ask {
                reason: own,
                safety,
                ..
            },
        ) => Verdict::Ask {
            reason: format!("{own}; {}", reason("asks about the call")),
            safety,
            // A rule would not answer the hook.
            suggestions: Vec::new(),
        },
        (Some(HookDecision::Allow), Verdict::Ask { .. }) if may_allow => Verdict::Allow,
        (Some(HookDecision::Allow), verdict) => verdict,
    }
}

fn with_notes(result: ToolResult, notes: Vec<String>) -> ToolResult {
    match result {
        Ok(output) => Ok(notes.into_iter().fold(output, ToolOutput::with_note)),
        Err(error @ ToolError::Failed(_)) if !notes.is_empty() => {
            Err(ToolError::failed(format!("{error}\n{}", notes.join("\n"))))
        }
        error => error,
    }
}

/// Replaces the text of a result, which keeps its label and the exit of its command.
fn replace_text(output: ToolOutput, text: String) -> ToolOutput {
    let parts = output.into_parts();
    let mut replaced = ToolOutput::plain(text);
    if let Some(label) = &parts.label {
        replaced = replaced.with_label(label);
    }
    if let Some(exit) = parts.exit {
        replaced = replaced.with_exit(exit);
    }
    if let Some(cost) = parts.cost {
        replaced = replaced.with_cost(cost);
    }
    parts
        .artifacts
        .into_iter()
        .fold(replaced, ToolOutput::with_artifact)
}

#[cfg(test)]
mod tests {
    use helve_core::transcript::{CallKey, Origin, ToolCall};
    use helve_permission::Rule;
    use proptest::prelude::*;

    use super::*;

    fn verdicts() -> impl Strategy<Value = Verdict> {
        let rules = prop_oneof![Just(Vec::new()), Just(vec![Rule::tool("bash")])];
        prop_oneof![
            Just(Verdict::Allow),
            (any::<bool>(), rules).prop_map(|(safety, suggestions)| Verdict::Ask {
                reason: "the mode asks".to_owned(),
                safety,
                suggestions,
            }),
            Just(Verdict::deny("a rule denies")),
        ]
    }

    proptest! {
        /// A decision makes a verdict stricter; it loosens one only where a rule could.
        #[test]
        fn a_decision_loosens_only_what_a_rule_could(verdict in verdicts(), which in 0..5, asks in any::<bool>()) {
            let decision = [None, Some(HookDecision::Allow), Some(HookDecision::Ask), Some(HookDecision::Defer), Some(HookDecision::Deny)];
            let decision = decision[usize::try_from(which).expect("small")];
            let outcome = HookOutcome { decision, ..HookOutcome::default() };
            let mut site = CallSite::new(Origin::new("main", "t1"), CallKey::new(1, 0), ToolCall::new("c", "bash", "{}"));
            site.decided_by = Some(if asks { Decider::AskRule(Rule::tool("bash")) } else { Decider::Mode });
            let decided = apply_decision(verdict.clone(), &outcome, may_allow(&site, &verdict));
            let could = !asks && matches!(&verdict, Verdict::Ask { safety: false, suggestions, .. } if !suggestions.is_empty());
            if decided.strictness() < verdict.strictness() {
                prop_assert!(could && decision == Some(HookDecision::Allow));
            }
            match decision {
                Some(HookDecision::Deny) => prop_assert_eq!(decided.strictness(), 3),
                Some(HookDecision::Ask | HookDecision::Defer) => prop_assert!(decided != Verdict::Allow),
                None => prop_assert_eq!(decided, verdict),
                Some(HookDecision::Allow) => {}
            }
        }
    }
}
