//! The MCP servers of an app: those that it names itself, and those of the user's and the project's files.

mod build;
mod edit;
mod expand;
mod known;
mod programs;
mod project;
mod session;
mod settings;
mod status;
mod usage;

pub(super) use build::{build, logins};
pub(super) use edit::{Edit, EditError, NewServer};
pub(super) use known::{KnownServer, KnownServers, ServerOrigin};
pub(super) use project::ProjectServers;
pub(super) use session::McpSession;
pub(super) use status::{is_there, notes_of, reached};
pub(super) use usage::{McpError, arguments, use_of};
