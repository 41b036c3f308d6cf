use helve::prelude::*;

/// Doubles a number.
#[tool]
async fn double(
    /// The number.
    #[arg(name = "the number")]
    number: u32,
) -> u32 {
    number * 2
}

fn main() {}
