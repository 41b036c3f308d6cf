//! Logins to MCP servers: with a browser, without one, and against servers that mean ill.
#![allow(clippy::unwrap_used, reason = "tests panic")]

mod hostile;
mod kept;
mod login;
mod site;
mod tokens;
mod unattended;
mod world;
