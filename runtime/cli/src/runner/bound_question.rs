//! The question of a bound that ended a prompt: whether to go on, stop, or do something else.

use super::RunOptions;
use helve_agent::TurnReport;
use helve_core::transcript::Message;
use helve_terminal::questions::{Continuation, Terminal, ask_to_go_on};

/// What is sent where the user wants to go on.
const GO_ON: &str = "Go on.";

/// Asks the user at the terminal to go on after a bound ended a turn. Returns the next message, if the user wants one;
/// its turn has the same bounds again.
pub(crate) async fn ask_after_bound(options: &RunOptions, report: &TurnReport) -> Option<Message> {
    let asks = options.asks_at_bound && !options.json && !options.defers_questions;
    let reason = report.end().filter(|reason| reason.is_bound())?;
    if !asks || !Terminal::is_attached() {
        return None;
    }
    match ask_to_go_on(&format!("{reason}. Go on?")).await {
        Continuation::GoOn => Some(Message::user(GO_ON)),
        Continuation::Instead(text) => Some(Message::user(text)),
        Continuation::Stop => None,
    }
}
