use helve::prelude::*;

/// Adds numbers.
#[tool]
async fn sum(
    /// The numbers.
    #[arg(pattern = "[0-9]+")]
    numbers: Vec<u32>,
) -> u32 {
    numbers.iter().sum()
}

fn main() {}
