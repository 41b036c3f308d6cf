use helve::prelude::*;

/// Adds one.
#[tool]
const fn add_one(
    /// To what.
    to: u32,
) -> u32 {
    to + 1
}

const TWO: u32 = add_one(1);

fn main() {
    let _ = TWO;
}
