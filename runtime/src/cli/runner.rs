//! Runs the agent of an app: its options, the conversation that it works in, and the turns.

mod choice;
pub(super) mod finish;
pub(super) mod interrupt;
pub(super) mod open;
mod run_options;
#[cfg(feature = "mcp")]
mod servers;
mod settings;
mod telling;
mod turn;

pub(super) use choice::recording_arguments;
pub(super) use open::SessionChoice;
pub(super) use run_options::RunOptions;
#[cfg(feature = "mcp")]
pub(super) use servers::servers_ready;
#[cfg(feature = "serve")]
pub(super) use settings::reduces;
pub(super) use turn::{TurnInput, run};
