//! Runs the agent of an app: its options, the conversation that it works in, and the turns.

mod bound_question;
#[cfg(feature = "chat")]
mod command_limit;
mod event_output;
pub(super) mod finish;
pub(super) mod interrupt;
mod model_choice;
#[cfg(feature = "agents")]
pub(super) mod named_agents;
mod run_options;
#[cfg(feature = "mcp")]
mod servers;
pub(super) mod session_choice;
mod settings;
mod turn;

#[cfg(feature = "chat")]
pub(super) use bound_question::ask_after_bound;
#[cfg(feature = "chat")]
pub(super) use command_limit::CommandLimit;
pub(super) use model_choice::recording_arguments;
pub(super) use run_options::RunOptions;
#[cfg(feature = "jobs")]
pub(super) use run_options::unattended_arguments;
#[cfg(feature = "mcp")]
pub(super) use servers::wait_for_servers;
pub(super) use session_choice::SessionChoice;
#[cfg(feature = "schedule")]
pub(super) use settings::bounds;
#[cfg(feature = "models")]
pub(super) use settings::own_prices;
#[cfg(feature = "serve")]
pub(super) use settings::reduces_results;
pub(super) use turn::{TurnInput, run};
