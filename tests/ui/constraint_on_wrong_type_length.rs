use helve::prelude::*;

/// Doubles a number.
#[tool]
async fn double(
    /// The number.
    #[arg(min_len = 1)]
    number: Option<u32>,
) -> Option<u32> {
    number.map(|number| number * 2)
}

fn main() {}
