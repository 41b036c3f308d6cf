//! Connections to MCP servers: what they bear, and what they say of what they do not bear.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "tests panic, and hand over what `json!` has just made"
)]

mod calls;
mod deaths;
mod handshake;
mod http;
mod lifetime;
mod questions;
mod script;
mod sse;
mod stdio;
mod support;
mod tools;

use libtest_mimic::Trial;

/// Is a server, where a test started this process as one.
pub(crate) fn run_as_role() -> bool {
    let Some(role) = std::env::var_os(stdio::ROLE_VARIABLE) else {
        return false;
    };
    stdio::serve(&role.to_string_lossy());
    true
}

pub(crate) fn tests() -> Vec<Trial> {
    let mut trials = Vec::new();
    for tests in [
        handshake::tests(),
        calls::tests(),
        tools::tests(),
        questions::tests(),
        deaths::tests(),
        lifetime::tests(),
        stdio::tests(),
        http::tests(),
        sse::tests(),
    ] {
        trials.extend(tests);
    }
    trials
}
