use helve::prelude::*;

/// Repeats a word.
#[tool]
async fn repeat(
    /// The word.
    #[arg(max_len = -1)]
    word: &str,
) -> String {
    word.repeat(2)
}

fn main() {}
