//! The MCP servers of an app: those that it names itself, and those of the user's and the project's files.

mod at_work;
mod edit;
mod expand;
mod known;
mod open;
mod programs;
mod project;
mod settings;

pub(super) use at_work::AtWork;
pub(super) use edit::{Edit, EditError, NewServer};
pub(super) use known::{Known, KnownServer, ServerOrigin};
#[cfg(feature = "skills")]
pub(super) use open::add_skills;
pub(super) use open::{
    McpError, arguments, build, is_there, logins, notes_of, open, reached, ready,
};
pub(super) use project::ProjectServers;
