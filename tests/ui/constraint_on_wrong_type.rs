use helve::prelude::*;

/// Repeats a word.
#[tool]
async fn repeat(
    /// The word.
    #[arg(max = 9)]
    word: &str,
) -> String {
    word.repeat(2)
}

fn main() {}
