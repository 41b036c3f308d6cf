//! The command line that every binary starts from: `helve::app!()`.

// The tools of the tests are written with the public macro, whose expansion says `::helve::…`.
#[cfg(test)]
extern crate helve_core as helve;

mod acceptance;
mod access_settings;
#[cfg(feature = "agents")]
mod agent_catalog;
#[cfg(feature = "agents")]
mod agent_list;
#[cfg(feature = "agents")]
mod agent_settings;
#[cfg(feature = "agents")]
mod agents;
mod app;
mod app_context;
#[cfg(feature = "memory")]
mod app_memory;
mod app_tools;
mod args;
mod assembly_error;
#[cfg(feature = "chat")]
mod attachments;
mod bundles;
#[cfg(feature = "chat")]
mod chat;
mod cli_client;
#[cfg(any(feature = "hooks", feature = "mcp"))]
mod code_files;
mod commands;
mod context;
#[cfg(feature = "chat")]
mod custom_commands;
#[cfg(all(feature = "models", any(feature = "memory", feature = "text-index")))]
mod embedder;
mod exit;
mod filters;
mod flags;
mod grants;
#[cfg(feature = "hooks")]
mod hook_files;
#[cfg(feature = "hooks")]
mod hook_scripts;
mod hooks;
#[cfg(feature = "jobs")]
mod job_table;
#[cfg(feature = "jobs")]
mod jobs;
mod log;
mod log_mask;
#[cfg(feature = "mcp")]
mod mcp;
mod memory;
mod non_interactive;
mod pack_settings;
mod permissions;
mod providers;
mod runner;
mod runtime;
mod sandbox;
#[cfg(feature = "schedule")]
mod schedules;
mod schema_shape;
mod session_export;
mod session_folder;
#[cfg(feature = "session-search")]
mod session_search;
mod session_table;
#[cfg(feature = "skills")]
mod skill_list;
#[cfg(feature = "skills")]
mod skills;
mod startup;
mod state_hint;
mod tool_network;

use helve_settings as config;

pub use app::{App, Package};
pub use assembly_error::AssemblyError;
pub use context::CommandContext;
pub use pack_settings::{SettingsConflict, SettingsDeclaration};

/// Creates an app with the tools and skills of the current package, and a command line.
///
/// ```no_run
/// # extern crate helve_cli as helve;
/// fn main() -> std::process::ExitCode {
///     helve::app!().instructions("You help with this repository.").main()
/// }
/// ```
#[macro_export]
macro_rules! app {
    () => {
        $crate::App::new($crate::Package {
            name: ::core::env!("CARGO_PKG_NAME"),
            version: ::core::env!("CARGO_PKG_VERSION"),
            description: ::core::env!("CARGO_PKG_DESCRIPTION"),
            binary: ::core::option_env!("CARGO_BIN_NAME"),
        })
    };
}
