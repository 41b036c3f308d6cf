//! The command line that every binary starts from: `helve::app!()`.

mod acceptance;
mod app;
mod assembly;
mod at_work;
#[cfg(feature = "chat")]
mod chat;
mod client;
mod commands;
mod config;
mod context;
mod diff;
mod doors;
mod exit;
mod filters;
mod flags;
mod log;
#[cfg(feature = "chat")]
mod markdown;
#[cfg(feature = "mcp")]
mod mcp;
mod mend;
mod nobody;
mod output;
mod permissions;
#[cfg(feature = "models")]
mod providers;
mod render;
mod sandbox;
mod screen;
mod session_folder;
#[cfg(feature = "skills")]
mod skills;
mod terminal;

pub use app::{App, Package};
pub use assembly::AssemblyError;
pub use context::CommandContext;

/// Starts an app: the tools and skills of the package that says it, and a command line around them.
///
/// ```no_run
/// # extern crate helve_runtime as helve;
/// fn main() -> std::process::ExitCode {
///     helve::app!().instructions("You help with this repository.").main()
/// }
/// ```
#[macro_export]
macro_rules! app {
    () => {
        $crate::cli::App::new($crate::cli::Package {
            name: ::core::env!("CARGO_PKG_NAME"),
            version: ::core::env!("CARGO_PKG_VERSION"),
            description: ::core::env!("CARGO_PKG_DESCRIPTION"),
            binary: ::core::option_env!("CARGO_BIN_NAME"),
        })
    };
}
