//! Connections to MCP servers: what they bear, and what they say of what they do not bear.
//!
//! The program starts itself again as a server, so it has a `main` of its own.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "tests panic, and hand over what `json!` has just made"
)]

mod calls;
mod deaths;
mod handshake;
mod http;
mod questions;
mod script;
mod sse;
mod stdio;
mod support;
mod tools;

fn main() {
    if let Some(role) = std::env::var_os(stdio::ROLE) {
        stdio::serve(&role.to_string_lossy());
        return;
    }
    let arguments = libtest_mimic::Arguments::from_args();
    let mut trials = Vec::new();
    for tests in [
        handshake::tests(),
        calls::tests(),
        tools::tests(),
        questions::tests(),
        deaths::tests(),
        stdio::tests(),
        http::tests(),
        sse::tests(),
    ] {
        trials.extend(tests);
    }
    libtest_mimic::run(&arguments, trials).exit();
}
