//! Asking whether a call may run: the person who uses the client, or whom the app appointed.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::work::Work;
use crate::call::{Asking, Judged};
use crate::capability::{ClientBackend as _, Elicitation, Elicited};
use crate::permission::{Answer, Approver, Decision, PartStanding, Question, TimeLimited};
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
    let settings = &work.server.inner.settings;
    let answer = match &settings.approver {
        Some(approver) => {
            let limited = TimeLimited::within(approver.clone(), settings.limits.answer);
            limited.ask(&question).await
        }
        None => Client(work).ask(&question).await,
    };
    let decision = match answer {
        Answer::Decided(decision) => decision,
        Answer::Deferred => Decision::Unanswered {
            reason: "its approval comes later, and nothing here can wait for it".to_owned(),
        },
    };
    policy.take_in(&decision);
    decision
}

/// The person who uses the client.
struct Client<'a>(&'a Work);

impl Approver for Client<'_> {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        async move {
            if !self.0.client.features.form {
                let reason = self.cannot_ask(question);
                return Decision::Unanswered { reason }.into();
            }
            let form = Elicitation::form(words(question), form());
            match self.0.client.elicit(&form).await {
                Ok(elicited) => decided(&elicited).into(),
                Err(error) => {
                    let reason = format!("it needs approval, and {error}");
                    Decision::Unanswered { reason }.into()
                }
            }
        }
        .boxed()
    }
}

impl Client<'_> {
    /// Says why nobody was asked, and how the call can be allowed.
    fn cannot_ask(&self, question: &Question) -> String {
        let why = &question.reason;
        let rule = question.suggestions.first().filter(|_| !question.safety);
        let how = match (rule, &self.0.server.inner.settings.allow_command) {
            (None, _) => "use a client that can ask (with elicitation)".to_owned(),
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

fn form() -> Value {
    json!({
        "type": "object",
        "properties": {
            "decision": {
                "type": "string",
                "title": "Decision",
                "description": "Whether this one call may run",
                "enum": [ALLOW, DENY],
            },
        },
        "required": ["decision"],
    })
}

/// Writes what the person has to know. It is shown by a client that may take anything for markup or for a command of the
/// terminal, so that nothing invisible is left in it.
fn words(question: &Question) -> String {
    let mut text = format!("Allow `{}` to run? {}", question.tool, question.reason);
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
    text.push_str(crate::tool::cut::head(&what, SHOWN));
    if what.chars().count() > SHOWN {
        text.push_str("\n[cut]");
    }
    let text = untrusted::strip_escapes(&text);
    untrusted::strip_invisible(&text).into_owned()
}
