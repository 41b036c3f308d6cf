//! Servers as a source of tools, through the door that apps use: what is offered, when it is withheld, what calls come to.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use crate::support::mcp_server;

mod approving;
mod context;
mod judging;
mod listing;
mod results;
mod skills;
mod support;
