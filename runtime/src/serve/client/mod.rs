//! The client as the tools see it: what they ask of it, and what they tell it.
//!
//! A call does not speak to the client itself. What it has to say goes into a channel, and whoever drives the call takes
//! it out: over the connection of the request that the call is answering, which may be another one each time.

mod ask;
mod backend;
mod convert;
pub(super) mod level;
mod line;
mod undeclared;

use std::sync::Arc;

use rmcp::model::{ClientCapabilities, ProtocolVersion};
use rmcp::service::{RequestContext, RoleServer};

pub(crate) use ask::{Answer, Ask, AskError};
pub(super) use backend::CallClient;
pub(super) use convert::{block_to_rmcp, contents_to_rmcp};
pub(crate) use line::Line;
pub(super) use undeclared::Undeclared;

use super::session::Session;

/// How much of what a call has to say may wait to be sent; more of its log and its progress is lost.
pub(super) const WAITING: usize = 64;

/// What a call has to say to the client.
pub(crate) enum Outgoing {
    /// It wants an answer.
    Ask(Box<Ask>),
    /// It says something, and goes on.
    Note(Box<Note>),
}

/// What a call says without waiting for an answer.
pub(crate) enum Note {
    /// How far it is.
    Progress {
        /// How much is done; it only ever grows.
        progress: f64,
        /// How much there is in all.
        total: Option<f64>,
        /// What is happening.
        message: Option<String>,
    },
    /// A line of the log.
    Log {
        /// How much it matters.
        level: crate::capability::LogLevel,
        /// Who says it.
        logger: Option<String>,
        /// What it says.
        data: serde_json::Value,
    },
}

/// What a client can be asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Features {
    pub(super) form: bool,
    pub(super) url: bool,
    pub(super) sampling: bool,
    pub(super) roots: bool,
    /// Whether a request fails for what is not declared, instead of the tool.
    pub(super) required: bool,
}

impl Features {
    /// Reads them off what the client declared.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let Some(declared) = context.client_capabilities() else {
            return Self::default();
        };
        Self {
            required: is_modern(context),
            ..Self::declared(&declared)
        }
    }

    fn declared(capabilities: &ClientCapabilities) -> Self {
        let elicitation = capabilities.elicitation.as_ref();
        Self {
            // A client that names no kind means forms, from the time when there was no other.
            form: elicitation.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none()),
            url: elicitation.is_some_and(|kinds| kinds.url.is_some()),
            sampling: capabilities.sampling.is_some(),
            roots: capabilities.roots.is_some(),
            required: false,
        }
    }
}

/// Reports whether a request is of the protocol in which a server asks by answers, not by requests of its own.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    // Dates compare as their texts do.
    let version = context.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Says which lines of the log the client of a request wants.
pub(super) fn log_of(session: &Arc<Session>, context: &RequestContext<RoleServer>) -> backend::Log {
    match is_modern(context) {
        false => backend::Log::Session(session.clone()),
        true => backend::Log::From(level::of_request(context)),
    }
}
