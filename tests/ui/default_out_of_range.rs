use helve::prelude::*;

/// Doubles a number.
#[tool]
async fn double(
    /// The number.
    #[arg(default = 10, max = 9)]
    number: u32,
) -> u32 {
    number * 2
}

fn main() {}
