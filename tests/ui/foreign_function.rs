use helve::prelude::*;

/// Adds one.
#[tool]
extern "C" fn add_one(
    /// To what.
    to: u32,
) -> u32 {
    to + 1
}

fn main() {
    add_one(1);
}
