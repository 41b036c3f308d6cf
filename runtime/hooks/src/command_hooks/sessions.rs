//! The events of prompts and sessions.

use serde_json::Value;

use super::CommandHooks;
use crate::event::HookEvent;
use crate::input::{self, EventTurn};
use crate::output::{HookDecision, HookOutcome};

/// What the hooks say of a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptOutcome {
    /// Why the prompt is not sent, if it is not.
    pub blocked: Option<String>,
    /// Texts for the model beside the prompt.
    pub context: Vec<String>,
}

impl CommandHooks {
    /// Runs the hooks of a prompt that the user sends. A hook that fails blocks the prompt.
    pub async fn prompt(&self, prompt: &str) -> PromptOutcome {
        let event = HookEvent::UserPromptSubmit;
        let outcome = self.run_event(event, &[("prompt", prompt)], None).await;
        let reason = outcome.reason.clone();
        let is_blocked = outcome.decision == Some(HookDecision::Deny);
        let refused =
            is_blocked.then(|| reason.unwrap_or_else(|| "a hook blocked the prompt".to_owned()));
        PromptOutcome {
            blocked: outcome.stop.clone().or(refused),
            context: outcome.context,
        }
    }

    /// Runs the hooks of a session that starts: `source` is `startup`, `resume`, `clear`, `compact` or `fork`. Returns
    /// texts for the model.
    pub async fn session_started(&self, source: &str) -> Vec<String> {
        let event = HookEvent::SessionStart;
        let outcome = self.run_event(event, &[("source", source)], None).await;
        outcome.context
    }

    /// Runs the hooks of a session that ends, for a reason such as `clear`, `prompt_input_exit` or `other`.
    pub async fn session_ended(&self, reason: &str) {
        self.run_event(HookEvent::SessionEnd, &[("reason", reason)], None)
            .await;
    }

    /// Runs the hooks that learn that the program waits for the user, without waiting for them. `kind` is what their
    /// matchers are about, such as `permission_prompt`.
    pub fn notify(&self, message: &str, kind: &str) {
        if !self.has_event(HookEvent::Notification) {
            return;
        }
        let (hooks, message, kind) = (self.clone(), message.to_owned(), kind.to_owned());
        tokio::spawn(async move {
            let fields = [("message", &*message), ("notification_type", &*kind)];
            hooks
                .run_event(HookEvent::Notification, &fields, None)
                .await;
        });
    }

    /// Runs the hooks before a summary. Returns why the conversation is not summarized.
    pub(super) async fn before_compaction(&self, turn: EventTurn<'_>) -> Option<String> {
        let fields = [("trigger", "auto"), ("custom_instructions", "")];
        let event = HookEvent::PreCompact;
        let outcome = self.run_event(event, &fields, Some(turn)).await;
        if let Some(why) = &outcome.stop {
            self.stop(turn, why);
        }
        let is_blocked = outcome.decision == Some(HookDecision::Deny);
        let reason = outcome
            .reason
            .unwrap_or_else(|| "without a reason".to_owned());
        outcome.stop.or(is_blocked.then_some(reason))
    }

    pub(super) async fn run_event(
        &self,
        event: HookEvent,
        fields: &[(&str, impl Into<Value> + Clone)],
        turn: Option<EventTurn<'_>>,
    ) -> HookOutcome {
        if !self.has_event(event) {
            return HookOutcome::default();
        }
        let session = self.current_session();
        let mut input = input::base(event, &session, &self.0.runner.project, turn);
        for (name, value) in fields {
            input.insert((*name).to_owned(), value.clone().into());
        }
        let input = Value::Object(input);
        let outcome = self.run(event, &input).await;
        self.report_all(&outcome.messages);
        outcome
    }
}

/// Returns what the matchers of an event are about.
pub(super) fn subject(event: HookEvent, input: &Value) -> &str {
    let field = match event {
        HookEvent::SessionStart => "source",
        HookEvent::SessionEnd => "reason",
        HookEvent::PreCompact => "trigger",
        HookEvent::Notification => "notification_type",
        HookEvent::SubagentStop => "agent_type",
        _ => "tool_name",
    };
    input[field].as_str().unwrap_or_default()
}
