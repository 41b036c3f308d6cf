//! What a sandbox says where something that isolates is missing: each primitive is taken away in a process of its own,
//! which then asks what this machine gives.

#![allow(clippy::unwrap_used, reason = "tests panic")]

mod fallback;
mod primitives;
mod table;

pub(crate) use table::tests;

/// Reports, in a process that a test started to lose a primitive for good.
pub(crate) fn run_as_role() -> bool {
    let Some(primitive) = std::env::var_os(table::ROLE_VARIABLE) else {
        return false;
    };
    primitives::report(&primitive.to_string_lossy());
    true
}
