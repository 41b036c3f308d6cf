//! A pack that an app links without naming any of its tools.

use helve::prelude::*;

/// Says that it is linked.
#[tool(read_only)]
pub fn linked_only() -> &'static str {
    "linked"
}
