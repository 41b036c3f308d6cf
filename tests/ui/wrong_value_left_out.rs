use helve::prelude::*;

/// Repeats a word.
#[tool(title = , read_only)]
async fn repeat(
    /// The word.
    word: &str,
) -> String {
    word.repeat(2)
}

fn main() {}
