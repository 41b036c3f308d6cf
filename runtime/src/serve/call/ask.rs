//! Asking whether a call may run: the person who uses the client, or whom the app appointed.

use std::sync::Arc;

use serde_json::{Value, json};

use super::work::Work;
use crate::call::{Asking, Judged};
use crate::capability::{ClientBackend as _, Elicitation, Elicited};
use crate::permission::{Answer, Approver, Decision, PartStanding, Question, TimeLimited};
use crate::serve::Server;
use crate::serve::client::CallClient;
use crate::tool::{Preview, ToolContext};
use crate::untrusted;

/// The most characters of the arguments, or of what would change, in a question.
const SHOWN: usize = 4_000;

const ALLOW: &str = "allow once";
const DENY: &str = "deny";

/// Asks whether a call may run; what is said holds for the session as far as its rules reach.
pub(super) async fn ask(
    work: &Work,
    judged: &Judged,
    asking: Asking,
    context: &ToolContext,
) -> Decision {
    let policy = &work.session.policy;
    let question = judged.question(asking, policy, context).written().await;
    let decision = Questioner::of(work).decide(&question, Subject::Call).await;
    policy.take_in(&decision);
    decision
}

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// Whether the call may run.
    Call,
    /// Whether a command that it started may connect.
    Connection,
}

/// Whoever answers the questions of a call.
pub(super) struct Questioner {
    server: Server,
    client: Arc<CallClient>,
}

impl Questioner {
    pub(super) fn of(work: &Work) -> Self {
        Self {
            server: work.server.clone(),
            client: Arc::clone(&work.client),
        }
    }

    pub(super) async fn decide(&self, question: &Question, subject: Subject) -> Decision {
        let settings = &self.server.inner.settings;
        let Some(approver) = &settings.approver else {
            return self.ask_client(question, subject).await;
        };
        let limited = TimeLimited::within(approver.clone(), settings.limits.answer);
        match limited.ask(question).await {
            Answer::Decided(decision) => decision,
            Answer::Deferred => Decision::Unanswered {
                reason: "its approval comes later, and nothing here can wait for it".to_owned(),
            },
        }
    }

    /// Asks the person who uses the client.
    async fn ask_client(&self, question: &Question, subject: Subject) -> Decision {
        if !self.client.features.form {
            let reason = self.cannot_ask(question, subject);
            return Decision::Unanswered { reason };
        }
        let form = Elicitation::form(words(question, subject), form(subject));
        match self.client.elicit(&form).await {
            Ok(elicited) => decided(&elicited),
            Err(error) => Decision::Unanswered {
                reason: format!("it needs approval, and {error}"),
            },
        }
    }

    /// Says why nobody was asked, and how the call can be allowed.
    fn cannot_ask(&self, question: &Question, subject: Subject) -> String {
        const OTHER_CLIENT: &str = "use a client that can ask (with elicitation)";
        if subject == Subject::Connection {
            return format!("this client cannot ask its user; {OTHER_CLIENT}");
        }
        let why = &question.reason;
        let rule = question.suggestions.first().filter(|_| !question.safety);
        let how = match (rule, &self.server.inner.settings.allow_command) {
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

/// Reads what the person did; whatever is not a yes is a no.
fn decided(elicited: &Elicited) -> Decision {
    match elicited {
        Elicited::Accept(values)
            if values.get("decision").and_then(Value::as_str) == Some(ALLOW) =>
        {
            Decision::allow_once()
        }
        _ => Decision::reject_once(),
    }
}

fn form(subject: Subject) -> Value {
    let description = match subject {
        Subject::Call => "Whether this one call may run",
        Subject::Connection => "Whether commands of this call may connect to this host",
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

/// Writes what the person has to know. It is shown by a client that may take anything for markup or for a command of the
/// terminal, so that nothing invisible is left in it.
fn words(question: &Question, subject: Subject) -> String {
    let what = match subject {
        Subject::Call => "run",
        Subject::Connection => "connect",
    };
    let mut text = format!("Allow `{}` to {what}? {}", question.tool, question.reason);
    let open = question
        .parts
        .iter()
        .filter(|part| part.standing == PartStanding::Open);
    for part in open {
        text.push_str("\n- ");
        text.push_str(&part.text);
    }
    let what = match &question.preview {
        Some(preview @ Preview::Diff { .. }) => format!("\n\nIt would change:\n{preview}"),
        Some(preview) => format!("\n\nArguments: {}\n\n{preview}", question.arguments),
        None => format!("\n\nArguments: {}", question.arguments),
    };
    text.push_str(crate::support::text::first_chars(&what, SHOWN));
    if what.chars().count() > SHOWN {
        text.push_str("\n[cut]");
    }
    let text = untrusted::strip_escapes(&text);
    untrusted::strip_invisible(&text).into_owned()
}
