//! Suggestions of what the user may say next.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _};
use schemars::JsonSchema;
use serde::Deserialize;

use super::event_emitter::EventEmitter;
use super::event_order::EventOrder;
use super::report::TurnReport;
use crate::EventKind;
use crate::answer_format::AnswerFormat;
use crate::spec::Agent;
use crate::turn::{Bounds, EndReason};
use helve_core::support::text::first_chars;
use helve_core::tool::ToolContext;
use helve_core::transcript::{ContentBlock, Message, Origin, TurnId};
use helve_model::ModelOptions;

/// How long the suggestions may take.
const DEADLINE: Duration = Duration::from_secs(20);

/// The number of messages of the user with which the exchanges begin that the model sees.
const EXCHANGES: usize = 2;

/// The maximum length of a message that the model sees.
const MAX_MESSAGE_CHARS: usize = 4_000;

/// The maximum length of a suggestion.
const MAX_SUGGESTION_CHARS: usize = 200;

const INSTRUCTIONS: &str = "You suggest what the user of an assistant may say next. You see the end of their \
    conversation. Each suggestion is one short message in the words and in the language of the user, which the \
    assistant can act on, and differs from the others. Suggest nothing that was done already.";

/// What may be said next.
#[derive(Deserialize, JsonSchema)]
struct Suggestions {
    /// The messages, the most useful first.
    suggestions: Vec<String>,
}

impl Agent {
    /// Sets how many suggestions of what the user may say next the agent makes after a turn that has finished. By default, it
    /// makes none.
    ///
    /// The suggestions come with the event [`Suggested`](EventKind::Suggested), after that of the end of the turn. They are
    /// one call of the [small model](Self::small_model) if there is one, which sees the last two exchanges and no tools. They
    /// are never part of the conversation, and what the call costs is in the event alone.
    ///
    /// ```
    /// use helve::agent::{Agent, AgentEvent, EventKind};
    /// use helve::model::ScriptedModel;
    /// use helve::transcript::Message;
    /// use helve::ToolContext;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let small = ScriptedModel::new().say(r#"{ "suggestions": ["Run the tests."] }"#);
    /// let agent = Agent::new("main", ScriptedModel::new().say("It compiles."))
    ///     .small_model(small)
    ///     .suggestions(3);
    /// let show = |event: AgentEvent| {
    ///     if let EventKind::Suggested { prompts, .. } = event.kind {
    ///         assert_eq!(prompts, ["Run the tests."]);
    ///     }
    /// };
    /// agent.run(vec![Message::user("Does it compile?")], &ToolContext::new(), show).await;
    /// # }
    /// ```
    #[must_use]
    pub fn suggestions(mut self, most: u8) -> Self {
        self.suggestions = most;
        self
    }

    /// Emits suggestions after a turn that has finished, if the agent makes any. If there is no answer in time, none are
    /// emitted.
    pub(super) fn suggest<'a>(
        &'a self,
        report: &'a TurnReport,
        origin: Origin,
        context: &'a ToolContext,
        order: &'a Arc<EventOrder>,
    ) -> BoxFuture<'a, ()> {
        async move {
            let text = exchanges(&report.messages);
            let prompt = format!("{text}\n\nSuggest at most {} messages.", self.suggestions);
            let turn = TurnId::from(format!("{}/suggest", origin.turn));
            let context = context.derive().agent("suggest".into()).turn(turn).build();
            let format = AnswerFormat::for_type::<Suggestions>();
            let aside = self.aside_agent(&format);
            let asking = aside.run(vec![Message::user(prompt)], &context, |_event| {});
            let Ok(answer) = tokio::time::timeout(DEADLINE, asking).await else {
                return;
            };
            let finished = answer.end() == Some(EndReason::Finished);
            let parsed = format.parse::<Suggestions>(&answer.text());
            let Some(suggested) = parsed.ok().filter(|_| finished) else {
                tracing::debug!(error = answer.error, "there are no suggestions");
                return;
            };
            let prompts = clean(suggested.suggestions, self.suggestions);
            if !prompts.is_empty() {
                let events = EventEmitter::new(order.clone(), origin, self.progress.clone());
                events.emit(EventKind::Suggested {
                    prompts,
                    usage: answer.totals.usage,
                    cost: answer.totals.cost,
                });
            }
        }
        .boxed()
    }

    /// Reports whether suggestions follow a turn.
    pub(super) fn has_suggestions_after(&self, report: &TurnReport) -> bool {
        self.suggestions > 0 && report.end() == Some(EndReason::Finished)
    }

    /// Returns the agent that makes the suggestions, in one call.
    fn aside_agent(&self, format: &AnswerFormat) -> Self {
        let small = self.tiers.small.clone();
        let price = self.price.filter(|_| small.is_none());
        let model = small.unwrap_or_else(|| Arc::clone(&self.model));
        let options = ModelOptions::new().output(format.output_format());
        let mut agent = Self::with_model("suggest", model)
            .instructions(INSTRUCTIONS)
            .options(options)
            .prices(self.prices.clone())
            .bounds(Bounds::new(1));
        agent.price = price;
        agent
    }
}

/// Returns the last exchanges as one text, without calls and results.
fn exchanges(messages: &[Message]) -> String {
    let said = messages.iter().enumerate().rev();
    let said = said.filter(|(_, message)| matches!(message, Message::User { .. }));
    let first = said.take(EXCHANGES).last().map_or(0, |(index, _)| index);
    let mut text = String::new();
    for message in &messages[first..] {
        let (who, said) = match message {
            Message::User { content } => {
                let texts = content.iter().filter_map(ContentBlock::as_text);
                ("User", texts.collect::<Vec<_>>().join("\n"))
            }
            Message::Assistant(reply) => ("Assistant", reply.text()),
            _ => continue,
        };
        if !said.trim().is_empty() {
            let said = first_chars(said.trim(), MAX_MESSAGE_CHARS);
            text.push_str(&format!("{who}: {said}\n\n"));
        }
    }
    text
}

/// Returns suggestions of one line each, without repetitions.
fn clean(suggestions: Vec<String>, most: u8) -> Vec<String> {
    let mut prompts: Vec<String> = Vec::new();
    for suggestion in suggestions {
        let line = suggestion.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = first_chars(&line, MAX_SUGGESTION_CHARS).to_owned();
        if !line.is_empty() && !prompts.contains(&line) && prompts.len() < usize::from(most) {
            prompts.push(line);
        }
    }
    prompts
}
