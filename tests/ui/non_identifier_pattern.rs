use helve::prelude::*;

/// Adds two numbers.
#[tool]
async fn add(
    /// Both.
    (a, b): (u32, u32),
) -> u32 {
    a + b
}

fn main() {
    let _ = add((1, 2));
}
