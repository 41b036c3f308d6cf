//! A pack that an app grants.

use helve::Toolset;
use helve::prelude::*;

/// Doubles a number.
#[tool(read_only)]
pub fn double(
    /// The number.
    number: i64,
) -> i64 {
    number * 2
}

/// Returns the tools of this pack.
pub fn pack() -> Toolset {
    toolset![double]
}
