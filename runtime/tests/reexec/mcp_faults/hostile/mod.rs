//! A server that does what no server should, over every transport. It is written without any library for MCP, since
//! a library would keep it from most of this.

mod fault;
mod http;
mod script;
mod stdio;
mod tools;

use std::sync::Arc;

pub(crate) use fault::{Fault, SECRET};

use script::HostileScript;

/// How the server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    /// Lines of standard input and output.
    Stdio,
    /// Streamable HTTP, at `/mcp`.
    Http,
    /// A stream of events at `/sse`, and a place to post to beside it.
    Sse,
}

impl Transport {
    pub(crate) const ALL: [Self; 3] = [Self::Stdio, Self::Http, Self::Sse];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Sse => "sse",
        }
    }

    pub(crate) fn from_name(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wire| wire.name() == word)
    }
}

/// Serves until it is killed, or dies of its fault. Over HTTP the first line of standard output is the port.
pub(crate) fn serve(fault: Fault, wire: Transport) -> ! {
    let script = Arc::new(HostileScript::new(fault));
    match wire {
        Transport::Stdio => stdio::serve(&script),
        Transport::Http | Transport::Sse => http::serve(&script),
    }
}
