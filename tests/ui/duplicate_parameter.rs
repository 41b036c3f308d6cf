use helve::prelude::*;

/// Adds two numbers.
#[tool]
async fn add(
    /// The first.
    a: u32,
    /// The second.
    #[arg(name = "a")]
    b: u32,
) -> u32 {
    a + b
}

fn main() {
    let _ = add(1, 2);
}
