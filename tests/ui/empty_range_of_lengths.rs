use helve::prelude::*;

/// Repeats a word.
#[tool]
async fn repeat(
    /// The word.
    #[arg(min_len = 3, max_len = 2)]
    word: &str,
) -> String {
    word.repeat(2)
}

fn main() {}
