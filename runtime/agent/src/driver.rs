//! The local driver of a turn: it performs the steps of the turn, and records each of them before the next.
//!
//! [`state`] contains the driver and its values, [`run`] its loop. Each concurrent operation is a piece of work in
//! [`in_flight`], which ends in a [`driver_event`]; [`handle_event`] records the event, and [`apply`] applies the
//! records to the turn.

mod apply;
mod background;
mod call_execution;
mod clock;
mod compaction;
mod connections;
mod context_window;
mod delegation;
mod driver_event;
mod event_emitter;
mod event_order;
mod exposure;
mod external;
mod hand_off;
mod handle_event;
mod held_access;
mod in_flight;
mod known_urls;
mod model_call;
mod plan_approval;
mod planning;
mod postings;
mod progress;
mod questions;
mod recorder;
mod recording;
mod report;
mod review_state;
mod reviewing;
mod round_calls;
mod run;
mod session_turns;
mod spans;
mod state;
mod stop_token;
mod suggestions;
mod task_check;
mod task_report;
mod task_turn;
mod todo_reminder;
mod tool_selection;
mod turn_start;
mod waiting;

pub use event_emitter::EventSink;
pub use report::{TurnReport, TurnStatus};
