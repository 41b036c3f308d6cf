//! The outcomes of calls that the turn closes itself: calls that never ran, and calls whose end is unknown.

use super::{Bounds, EndReason};
use helve_core::transcript::{Content, ContentBlock};
use helve_permission::Decision;
use helve_results::Outcome;

/// Appends the note of the user who allowed the call.
pub(super) fn with_note(mut outcome: Outcome, note: &str) -> Outcome {
    append(
        &mut outcome,
        format!("The user allowed this call and said: {note}"),
    );
    outcome
}

/// Appends the arguments with which the user replaced those of the model.
pub(super) fn with_edited_arguments(mut outcome: Outcome, arguments: &str) -> Outcome {
    let note =
        format!("The user changed the arguments of this call. It was made with: {arguments}");
    append(&mut outcome, note);
    outcome
}

fn append(outcome: &mut Outcome, note: String) {
    let mut blocks = outcome.content.to_vec();
    blocks.push(ContentBlock::text(note));
    outcome.content = blocks.into();
}

fn error_outcome(text: impl Into<String>) -> Outcome {
    Outcome::error(Content::text(text))
}

pub(super) fn denied(reason: &str) -> Outcome {
    error_outcome(format!("Tool call denied: {reason}"))
}

pub(super) fn rejected(decision: &Decision) -> Outcome {
    match (decision, decision.message()) {
        (Decision::Unanswered { reason }, _) => denied(reason),
        (_, Some(message)) => error_outcome(format!("Tool call rejected by user: {message}")),
        // Every other decision is a rejection.
        (_, None) => error_outcome("Tool call rejected by user"),
    }
}

/// Creates the outcome of a call that had not started when the turn ended.
pub(super) fn not_started(reason: EndReason, bounds: &Bounds) -> Outcome {
    let most = |bound: Option<u32>| bound.unwrap_or_default();
    let why = match reason {
        EndReason::ToolCalls => format!(
            "the limit of {} tool calls in this turn is reached.",
            most(bounds.tool_calls)
        ),
        EndReason::SameTool => format!(
            "the limit of {} calls of one tool in a row is reached.",
            most(bounds.same_tool)
        ),
        EndReason::IdenticalCalls => format!(
            "the limit of {} identical calls in a row is reached.",
            most(bounds.identical_calls)
        ),
        EndReason::Repeating => "the same calls were repeated.".to_owned(),
        EndReason::Tokens => "this turn has used up its tokens.".to_owned(),
        EndReason::Cost => "this turn has used up its budget.".to_owned(),
        EndReason::WallTime => {
            "the time limit of this turn is reached. The call had no effect.".to_owned()
        }
        EndReason::HandedOff => {
            "the conversation was handed off before this call started.".to_owned()
        }
        EndReason::Refused => "the reply that made this call was refused.".to_owned(),
        _ => "the turn was stopped before this call started. The call had no effect.".to_owned(),
    };
    error_outcome(format!("Not run: {why}"))
}

/// Creates the outcome of a submitted call whose turn was stopped.
pub(super) fn withdrawn() -> Outcome {
    error_outcome(
        "The turn was stopped while this call was submitted for external execution: whether it took effect is \
         unknown. Find out before you repeat it.",
    )
}

/// Creates the outcome of a call whose process died.
pub(super) fn unknown_effect() -> Outcome {
    error_outcome(
        "Interrupted while it ran: whether it took effect is unknown. Find out before you repeat it.",
    )
}

/// Creates the outcome of a call whose arguments are truncated.
pub(super) fn truncated(characters: usize) -> Outcome {
    error_outcome(format!(
        "Not run: the arguments of this call were truncated after {characters} characters, because the reply ended \
         there. Make the call again, with shorter arguments if the output limit was the reason."
    ))
}
