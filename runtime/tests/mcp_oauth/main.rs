//! Logins to MCP servers: with a browser, without one, and against servers that mean ill.

mod hostile;
mod kept;
mod login;
mod site;
mod unattended;
mod world;
