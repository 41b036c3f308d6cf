//! A crate that is used for something else, and happens to have a tool.

use helve::prelude::*;

/// Wipes everything.
#[tool(destructive)]
pub fn wipe() -> &'static str {
    "wiped"
}

/// Returns what the app wants of this crate.
pub fn greeting() -> &'static str {
    "welcome"
}
