//! What the commands of an isolated sandbox reach of the network: nothing, or the hosts that rules allow.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

#[allow(dead_code, reason = "each test target uses a part of this")]
#[path = "../it/capability/server.rs"]
mod server;

mod cases;

use libtest_mimic::Trial;

pub(crate) fn tests() -> Vec<Trial> {
    crate::isolated::fixture::trials("sandbox_network", cases::all())
}
