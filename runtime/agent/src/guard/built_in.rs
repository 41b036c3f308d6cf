//! The guards that come with helve.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _, ready};
use serde_json::Value;

use super::{Guard, GuardError, GuardInput, GuardPoint};
use crate::answer_format::describe_mistake;
use crate::turn::Review;
use helve_core::schema::{CanonicalSchema, Mistakes, explain, repair};
use helve_results::Redactor;

/// A guard that demands a shorter reply.
///
/// It does not hold in delegates, whose replies other agents read.
///
/// ```
/// use helve::agent::{Agent, MaxLength};
/// use helve::model::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), helve::agent::AskError> {
/// let model = ScriptedModel::new().say("It is, all in all, five.").say("5.");
/// let agent = Agent::new("main", model).guard(MaxLength::characters(10));
/// assert_eq!(agent.ask("2 + 3?").await?, "5.");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct MaxLength(usize);

impl MaxLength {
    /// Creates a guard with a maximum number of characters.
    #[must_use]
    pub const fn characters(most: usize) -> Self {
        Self(most)
    }
}

impl Guard for MaxLength {
    fn name(&self) -> &str {
        "max_length"
    }

    fn checks(&self, point: GuardPoint) -> bool {
        point == GuardPoint::Reply
    }

    fn check<'a>(&'a self, input: &'a GuardInput<'a>) -> BoxFuture<'a, Result<Review, GuardError>> {
        let (length, most) = (input.text.chars().count(), self.0);
        let review = match length > most {
            true => Review::again(format!(
                "Your answer has {length} characters, and at most {most} are allowed. Answer again, and shorter."
            )),
            false => Review::Pass,
        };
        ready(Ok(review)).boxed()
    }

    fn holds_in_delegates(&self) -> bool {
        false
    }
}

/// A guard that demands a reply of JSON, which may have to match a schema.
///
/// A reply with only one possible meaning is repaired, such as JSON in a code block. The guard does not hold in
/// delegates.
///
/// ```
/// use helve::agent::{Agent, JsonReply};
/// use helve::model::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), helve::agent::AskError> {
/// let model = ScriptedModel::new().say("It is five.").say("5");
/// let agent = Agent::new("main", model).guard(JsonReply::new());
/// assert_eq!(agent.ask("2 + 3?").await?, "5");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct JsonReply(Option<Arc<CanonicalSchema>>);

impl JsonReply {
    /// Creates a guard that demands any JSON value.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a guard that demands an object which matches a schema.
    pub fn with_schema(schema: impl Into<Arc<CanonicalSchema>>) -> Self {
        Self(Some(schema.into()))
    }

    fn review(&self, text: &str) -> Review {
        let Some(schema) = &self.0 else {
            return match serde_json::from_str::<Value>(text) {
                Ok(_) => Review::Pass,
                Err(error) => Review::again(format!(
                    "Your answer is not JSON: {error}. Answer again with JSON and nothing else."
                )),
            };
        };
        let repaired = repair(schema, text);
        let json = repaired
            .as_ref()
            .map_or(text, |repaired| &*repaired.arguments);
        let mistakes = explain(schema, json);
        if !mistakes.is_empty() {
            return Review::again(describe_mistakes(&mistakes, schema));
        }
        match repaired.is_some() {
            true => Review::replace(json),
            false => Review::Pass,
        }
    }
}

fn describe_mistakes(mistakes: &Mistakes, schema: &CanonicalSchema) -> String {
    let shown = mistakes.iter().take(Mistakes::MAX_SHOWN);
    let lines = shown.map(|mistake| format!("- {}\n", describe_mistake(mistake)));
    format!(
        "Your answer does not match the required format:\n{}\nAnswer again with one JSON object that matches this JSON \
         Schema, and nothing else:\n{}",
        lines.collect::<String>(),
        schema.text()
    )
}

impl Guard for JsonReply {
    fn name(&self) -> &str {
        "json_reply"
    }

    fn checks(&self, point: GuardPoint) -> bool {
        point == GuardPoint::Reply
    }

    fn check<'a>(&'a self, input: &'a GuardInput<'a>) -> BoxFuture<'a, Result<Review, GuardError>> {
        ready(Ok(self.review(input.text))).boxed()
    }

    fn holds_in_delegates(&self) -> bool {
        false
    }
}

/// A guard that redacts secrets in prompts and replies. Results are redacted without it, by the
/// [pipeline](helve_results::ResultPipeline).
///
/// ```
/// use helve::agent::{Agent, NoSecrets};
/// use helve::model::ScriptedModel;
/// use helve::results::Redactor;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), helve::agent::AskError> {
/// let model = ScriptedModel::new().say("Ask ann@example.org.");
/// let agent = Agent::new("main", model).guard(NoSecrets::new(Redactor::new().personal_data()));
/// assert!(!agent.ask("Who knows?").await?.contains("ann@"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct NoSecrets(Redactor);

impl NoSecrets {
    /// Creates a guard from a redactor.
    #[must_use]
    pub fn new(redactor: Redactor) -> Self {
        Self(redactor)
    }
}

impl Guard for NoSecrets {
    fn name(&self) -> &str {
        "no_secrets"
    }

    fn checks(&self, point: GuardPoint) -> bool {
        matches!(point, GuardPoint::Prompt | GuardPoint::Reply)
    }

    fn check<'a>(&'a self, input: &'a GuardInput<'a>) -> BoxFuture<'a, Result<Review, GuardError>> {
        let redacted = self.0.redact(input.text);
        let review = match redacted == input.text {
            true => Review::Pass,
            false => Review::replace(redacted),
        };
        ready(Ok(review)).boxed()
    }
}
