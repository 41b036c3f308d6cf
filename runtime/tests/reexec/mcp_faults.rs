//! helve's client against a server that does what no server should: each fault over each transport, beside a good
//! server, in a process of its own whose memory is counted. The program is its own client and its own server.

#![allow(clippy::unwrap_used, reason = "tests panic")]

mod cases;
mod client;
mod hostile;
mod processes;

pub(crate) use processes::{run_as_role, tests};
