//! Approval of a call: by the approver of the app, or by the user of the client.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::client::CallClient;
use crate::settings::Settings;
use helve_core::capability::{ClientBackend as _, Elicitation, ElicitationResult};
use helve_core::support::text::first_chars;
use helve_core::tool::{Preview, ToolContext};
use helve_permission::call::{AskVerdict, JudgedCall};
use helve_permission::{
    Answer, Approver, Decision, PartStatus, Policy, Question, TimeLimitedApprover,
};

/// The greatest length of the arguments, or of the preview, in a question, in characters.
const MAX_DETAILS: usize = 4_000;

const ALLOW: &str = "allow once";
const DENY: &str = "deny";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ApprovalSubject {
    Call,
    /// A network connection of a command that the call has started.
    Connection,
}

/// Sends the questions of a call to the approver, or to the client.
pub(super) struct ApprovalRequester {
    settings: Arc<Settings>,
    client: Arc<CallClient>,
}

impl ApprovalRequester {
    pub(super) fn new(settings: &Arc<Settings>, client: &Arc<CallClient>) -> Self {
        Self {
            settings: settings.clone(),
            client: client.clone(),
        }
    }

    /// Requests the approval of a call, and records the decision in the policy of its session.
    pub(super) async fn request_for_call(
        &self,
        policy: &Policy,
        judged: &JudgedCall,
        asking: AskVerdict,
        context: &ToolContext,
    ) -> Decision {
        let question = judged.build_question(asking, policy, context);
        let question = question.resolve().await;
        let decision = self.request(&question, ApprovalSubject::Call).await;
        policy.apply_decision(&decision);
        decision
    }

    pub(super) async fn request(&self, question: &Question, subject: ApprovalSubject) -> Decision {
        let Some(approver) = &self.settings.approver else {
            return self.request_of_client(question, subject).await;
        };
        let timeout = self.settings.limits.input_timeout;
        let approver = TimeLimitedApprover::with_limit(approver.clone(), timeout);
        match approver.ask(question).await {
            Answer::Decided(decision) => decision,
            // The question does not offer it.
            Answer::Edited { .. } | Answer::Deferred => Decision::Unanswered {
                reason: "its approval comes later, and nothing here can wait for it".to_owned(),
            },
        }
    }

    /// Requests the decision of the client's user.
    async fn request_of_client(&self, question: &Question, subject: ApprovalSubject) -> Decision {
        if !self.client.features.form {
            let reason = self.unsupported_reason(question, subject);
            return Decision::Unanswered { reason };
        }
        let text = question_text(question, subject);
        let form = Elicitation::form(text, decision_form(subject));
        match self.client.elicit(&form).await {
            Ok(elicited) => parse_decision(&elicited),
            Err(error) => Decision::Unanswered {
                reason: format!("it needs approval, and {error}"),
            },
        }
    }

    /// Explains why the client's user was not asked, and how to allow the call.
    fn unsupported_reason(&self, question: &Question, subject: ApprovalSubject) -> String {
        const OTHER_CLIENT: &str = "use a client that can ask (with elicitation)";
        if subject == ApprovalSubject::Connection {
            return format!("this client cannot ask its user; {OTHER_CLIENT}");
        }
        let why = &question.reason;
        let rule = question.suggestions.first().filter(|_| !question.safety);
        let how = match (rule, &self.settings.allow_command) {
            (None, _) => OTHER_CLIENT.to_owned(),
            (Some(rule), None) => format!("allow it with the permission rule `{rule}`"),
            (Some(rule), Some(command)) => {
                let quoted = rule.to_string().replace('\'', r"'\''");
                format!("allow it with `{command} '{quoted}'`")
            }
        };
        format!("it needs approval ({why}), and this client cannot ask its user; {how}")
    }
}

/// Parses the decision; everything but an explicit approval is a rejection.
fn parse_decision(elicited: &ElicitationResult) -> Decision {
    match elicited {
        ElicitationResult::Accept(values)
            if values.get("decision").and_then(Value::as_str) == Some(ALLOW) =>
        {
            Decision::allow_once()
        }
        _ => Decision::reject_once(),
    }
}

fn decision_form(subject: ApprovalSubject) -> Value {
    let description = match subject {
        ApprovalSubject::Call => "Whether this one call may run",
        ApprovalSubject::Connection => "Whether commands of this call may connect to this host",
    };
    json!({
        "type": "object",
        "properties": {
            "decision": {
                "type": "string",
                "title": "Decision",
                "description": description,
                "enum": [ALLOW, DENY],
            },
        },
        "required": ["decision"],
    })
}

/// Renders the question. Invisible characters and escape sequences are removed, because a client may render the text as
/// markup or print it to a terminal.
fn question_text(question: &Question, subject: ApprovalSubject) -> String {
    let action = match subject {
        ApprovalSubject::Call => "run",
        ApprovalSubject::Connection => "connect",
    };
    let mut text = format!("Allow `{}` to {action}? {}", question.tool, question.reason);
    let parts = question.parts.iter();
    let open = parts.filter(|part| part.standing == PartStatus::Open);
    for part in open {
        text.push_str("\n- ");
        text.push_str(&part.text);
    }
    let details = match &question.preview {
        Some(preview @ Preview::Diff { .. }) => format!("\n\nIt would change:\n{preview}"),
        Some(preview) => format!("\n\nArguments: {}\n\n{preview}", question.arguments),
        None => format!("\n\nArguments: {}", question.arguments),
    };
    text.push_str(first_chars(&details, MAX_DETAILS));
    if details.chars().count() > MAX_DETAILS {
        text.push_str("\n[cut]");
    }
    let text = helve_untrusted::strip_escapes(&text);
    helve_untrusted::strip_invisible(&text).into_owned()
}
