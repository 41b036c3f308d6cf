//! The MCP servers of an app: those that it names itself, and those of the user's and the project's files.

mod expand;
mod known;
mod project;
mod settings;

pub(super) use known::{Known, KnownServer, ServerOrigin, ServerProblem};
pub(super) use project::ProjectServers;
