//! The binary as a person meets it, part by part; the tests of MCP servers are in `reexec`.

#[path = "../../../../runtime/tests/support/isolation.rs"]
mod isolation;

mod agents;
mod bundles;
mod command_line;
mod completing;
mod config;
mod events;
mod hooks;
mod jobs;
mod permissions;
mod questions;
mod schedules;
mod serve;
mod sessions;
mod settings;
mod skill_installers;
mod skills;
mod stations;
mod terminal;
mod toolbox;
