//! The MCP servers of an app: those that it names itself, and those of the user's and the project's files.

mod build;
mod expand;
mod known_servers;
mod programs;
mod project_servers;
mod selection;
mod session;
mod settings;
mod status;

pub(super) use build::{build_servers, open_logins};
pub(super) use known_servers::{KnownServer, KnownServers, ServerOrigin};
pub(super) use project_servers::McpJsonFile;
pub(super) use selection::{ServerSelectionError, arguments, select_servers};
pub(super) use session::McpSession;
pub(super) use status::{is_connected, render_endpoint, status_notes};
