use helve::prelude::*;

/// Repeats a word.
#[tool]
async fn repeat(
    #[arg(description = "")]
    /// How often.
    times: u32,
) -> u32 {
    times
}

fn main() {}
