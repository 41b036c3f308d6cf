use helve::prelude::*;

/// Adds numbers.
#[tool]
async fn sum(
    /// The numbers.
    numbers: Option<&[u32]>,
) -> u32 {
    numbers.into_iter().flatten().sum()
}

fn main() {
    let _ = sum(Some(&[1]));
}
