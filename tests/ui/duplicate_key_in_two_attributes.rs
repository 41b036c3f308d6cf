use helve::prelude::*;

/// Repeats a word.
#[tool]
async fn repeat(
    /// How often.
    #[arg(max = 9)]
    #[arg(max = 10)]
    times: u32,
) -> u32 {
    times
}

fn main() {}
