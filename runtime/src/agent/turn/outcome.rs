//! What came of a call, whether it ran or not.

use serde::{Deserialize, Serialize};

use super::{Bounds, EndReason, Totals};
use crate::agent::reading::label_of_content;
use crate::permission::Decision;
use crate::transcript::{Content, ContentBlock, Cost, Label};

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outcome {
    /// What the model reads.
    pub content: Content,
    /// Whether the call failed, or never ran.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_error: bool,
    /// Whether the failure ends the turn.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fatal: bool,
    /// Whether it is the result of an earlier call, which nothing has changed since.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cached: bool,
    /// What the call cost.
    #[serde(
        default,
        rename = "cost_micro_usd",
        skip_serializing_if = "Cost::is_zero"
    )]
    pub cost: Cost,
    /// What a delegate used up for the call; it counts in this turn too.
    #[serde(default, skip_serializing_if = "Totals::is_zero")]
    pub used: Totals,
    /// Where the text came from, where the text does not tell it. Journals of format 1 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<Label>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Outcome {
    /// Makes the outcome of a call that succeeded.
    #[must_use]
    pub fn ok(content: impl Into<Content>) -> Self {
        Self {
            content: content.into(),
            is_error: false,
            fatal: false,
            cached: false,
            cost: Cost::ZERO,
            used: Totals::default(),
            label: None,
        }
    }

    /// Makes the outcome of a call that failed.
    #[must_use]
    pub fn error(content: impl Into<Content>) -> Self {
        Self {
            is_error: true,
            ..Self::ok(content)
        }
    }

    /// Makes the outcome of a call whose failure ends the turn.
    #[must_use]
    pub fn fatal(content: impl Into<Content>) -> Self {
        Self {
            fatal: true,
            ..Self::error(content)
        }
    }

    /// Says whether it is the result of an earlier call.
    #[must_use]
    pub fn cached(mut self, cached: bool) -> Self {
        self.cached = cached;
        self
    }

    /// Sets what the call cost.
    #[must_use]
    pub fn cost(mut self, cost: Cost) -> Self {
        self.cost = cost;
        self
    }

    /// Sets what a delegate used up for the call.
    #[must_use]
    pub fn used(mut self, totals: Totals) -> Self {
        self.used = totals;
        self
    }

    /// Sets where the text came from.
    #[must_use]
    pub fn labelled(mut self, label: Label) -> Self {
        // Most results are of the workspace, and their journal says it by saying nothing.
        let tells = label == Label::workspace() && label == label_of_content(&self.content);
        self.label = (!tells).then_some(label);
        self
    }

    /// Adds a label to that of the text.
    #[must_use]
    pub fn joined(self, label: &Label) -> Self {
        if !label.is_user() {
            let label = self.label().joined(label);
            return self.labelled(label);
        }
        self
    }

    /// Returns where the text came from. Of an outcome that was recorded without a label the enclosure tells it.
    #[must_use]
    pub fn label(&self) -> Label {
        let recorded = self.label.clone();
        recorded.unwrap_or_else(|| label_of_content(&self.content))
    }

    /// Adds what whoever allowed the call had to say.
    pub(super) fn with_note(mut self, note: &str) -> Self {
        let said = format!("The user allowed this call and said: {note}");
        let blocks = self.content.iter().cloned();
        self.content = blocks
            .chain([ContentBlock::text(said)])
            .collect::<Vec<_>>()
            .into();
        self
    }

    fn not_run(text: impl Into<String>) -> Self {
        Self::error(Content::text(text))
    }

    /// A policy forbade the call.
    pub(super) fn denied(reason: &str) -> Self {
        Self::not_run(format!("Tool call denied: {reason}"))
    }

    /// The answer to the question was no, or there was none.
    pub(super) fn rejected(decision: &Decision) -> Self {
        match (decision, decision.message()) {
            (Decision::Unanswered { reason }, _) => Self::denied(reason),
            (_, Some(message)) => Self::not_run(format!("Tool call rejected by user: {message}")),
            // Whatever is not a yes is a no.
            (_, None) => Self::not_run("Tool call rejected by user"),
        }
    }

    /// The turn ends, and the call never began.
    pub(super) fn not_begun(reason: EndReason, bounds: &Bounds) -> Self {
        let most = |bound: Option<u32>| bound.unwrap_or_default();
        let why = match reason {
            EndReason::ToolCalls => format!(
                "this turn may make {} tool calls, and has made them.",
                most(bounds.tool_calls)
            ),
            EndReason::SameTool => format!(
                "this turn may call one tool {} times in a row, and has done so.",
                most(bounds.same_tool)
            ),
            EndReason::IdenticalCalls => format!(
                "this turn may make the same call {} times in a row, and has made it.",
                most(bounds.identical_calls)
            ),
            EndReason::Repeating => "the same calls came over and over.".to_owned(),
            EndReason::Tokens => "this turn has used up its tokens.".to_owned(),
            EndReason::Cost => "this turn has used up its budget.".to_owned(),
            EndReason::WallTime => "the time of this turn is up. It had no effect.".to_owned(),
            EndReason::Refused => "the reply that made this call was refused.".to_owned(),
            _ => "the turn was stopped before this call started. It had no effect.".to_owned(),
        };
        Self::not_run(format!("Not run: {why}"))
    }

    /// The turn was stopped while somebody outside had the call.
    pub(super) fn withdrawn() -> Self {
        Self::not_run(
            "The turn was stopped while this call was handed out to be run elsewhere: whether it took effect is \
             unknown. Find out before you repeat it.",
        )
    }

    /// The process died while the call ran.
    pub(super) fn unknown() -> Self {
        Self::not_run(
            "Interrupted while it ran: whether it took effect is unknown. Find out before you repeat it.",
        )
    }

    /// The arguments of the call break off.
    pub(super) fn truncated(characters: usize) -> Self {
        Self::not_run(format!(
            "Not run: the arguments of this call broke off after {characters} characters, because the reply ended \
             there. Make the call again, with shorter arguments if the output limit was the reason."
        ))
    }
}
