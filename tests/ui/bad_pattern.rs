use helve::prelude::*;

/// Repeats a word.
#[tool]
async fn repeat(
    /// The word.
    #[arg(pattern = "[a-z")]
    word: &str,
) -> String {
    word.repeat(2)
}

fn main() {}
