//! A server that does what no server should, over every transport. It is written without any library for MCP, since
//! a library would keep it from most of this.

mod fault;
mod http;
mod script;
mod stdio;
mod tools;

use std::sync::Arc;

pub(crate) use fault::{Fault, SECRET};

use script::Script;

/// How the server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// Lines of standard input and output.
    Stdio,
    /// Streamable HTTP, at `/mcp`.
    Http,
    /// A stream of events at `/sse`, and a place to post to beside it.
    Sse,
}

impl Wire {
    pub(crate) const ALL: [Self; 3] = [Self::Stdio, Self::Http, Self::Sse];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Sse => "sse",
        }
    }

    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wire| wire.word() == word)
    }
}

/// Serves until it is killed, or dies of its fault. Over HTTP the first line of standard output is the port.
pub(crate) fn serve(fault: Fault, wire: Wire) -> ! {
    let script = Arc::new(Script::new(fault));
    match wire {
        Wire::Stdio => stdio::serve(&script),
        Wire::Http | Wire::Sse => http::serve(&script),
    }
}
