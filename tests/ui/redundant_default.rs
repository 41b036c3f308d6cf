use helve::prelude::*;

/// Doubles a number.
#[tool]
async fn double(
    /// The number.
    #[arg(default)]
    number: Option<u32>,
) -> Option<u32> {
    number.map(|number| number * 2)
}

fn main() {}
