use helve::prelude::*;

/// Repeats a word.
#[tool]
async fn repeat(
    /// The word.
    #[arg(min_len = 1)]
    word: &str,
    /// How often.
    times
) -> String {
    word.into()
}

fn main() {}
