//! The tools that change files, and those that list them, through the front.

#![cfg(all(feature = "files", unix))]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "tests make their own files"
)]

use crate::support;

mod agent;
mod apply_patch;
mod edit_file;
mod encodings;
mod faults;
mod listing;
mod own_tool;
mod permission;
#[cfg(target_os = "linux")]
mod swaps;
mod write_file;
