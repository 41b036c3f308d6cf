//! The events of prompts and sessions.

use serde_json::Value;

use super::CommandHooks;
use crate::enclose::enclose;
use crate::event::HookEvent;
use crate::input;
use crate::output::{HookDecision, HookOutcome};
use helve_core::transcript::Origin;

/// What the hooks say of a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptOutcome {
    /// Why the prompt is not sent, if it is not.
    pub blocked: Option<String>,
    /// Texts for the model beside the prompt, each enclosed.
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
            context: enclosed(event, &outcome),
        }
    }

    /// Runs the hooks of a session that starts: `source` is `startup`, `resume`, `clear`, `compact` or `fork`. Returns
    /// texts for the model, each enclosed.
    pub async fn session_started(&self, source: &str) -> Vec<String> {
        let event = HookEvent::SessionStart;
        let outcome = self.run_event(event, &[("source", source)], None).await;
        enclosed(event, &outcome)
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

    pub(super) async fn before_compaction(&self, origin: &Origin) {
        let fields = [("trigger", "auto"), ("custom_instructions", "")];
        self.run_event(HookEvent::PreCompact, &fields, Some(origin))
            .await;
    }

    async fn run_event(
        &self,
        event: HookEvent,
        fields: &[(&str, &str)],
        origin: Option<&Origin>,
    ) -> HookOutcome {
        if !self.has_event(event) {
            return HookOutcome::default();
        }
        let session = self.current_session();
        let mut input = input::base(event, &session, &self.0.runner.project, origin);
        for (name, value) in fields {
            input.insert((*name).to_owned(), (*value).into());
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
        HookEvent::UserPromptSubmit => "prompt_id",
        _ => "tool_name",
    };
    input[field].as_str().unwrap_or_default()
}

fn enclosed(event: HookEvent, outcome: &HookOutcome) -> Vec<String> {
    let context = outcome.context.iter();
    context.map(|text| enclose(event, text)).collect()
}
