//! What other systems' file tools answer, held against helve's; see `runtime/tests/support/vectors.rs`.
#![cfg(all(feature = "files", unix))]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking, and make their own files"
)]

use crate::support;
use crate::vectors;

mod apply_patch;
mod file_tools;
mod file_update;
mod file_validate;
mod stale_write;
mod world;
