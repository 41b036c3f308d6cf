//! Logins to MCP servers: with a browser, without one, and against servers that mean ill.
#![allow(clippy::unwrap_used, reason = "tests panic")]

mod fixture;
mod hostile;
mod login;
mod site;
mod stored_tokens;
mod tokens;
mod unattended;
