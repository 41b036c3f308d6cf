use helve::prelude::*;

/// Adds numbers.
#[tool]
async fn sum(
    /// The numbers.
    numbers: &Vec<u32>,
) -> u32 {
    numbers.iter().sum()
}

fn main() {
    let _ = sum(&vec![1]);
}
