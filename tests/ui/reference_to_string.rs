use helve::prelude::*;

/// Repeats a word.
#[tool]
async fn repeat(
    /// The word.
    word: &String,
) -> String {
    word.repeat(2)
}

fn main() {
    let _ = repeat(&"a".to_owned());
}
