use helve::prelude::*;

use std::borrow::Cow;

/// Repeats a word.
#[tool]
async fn repeat<'a>(
    /// The word.
    word: Cow<'a, str>,
) -> String {
    word.repeat(2)
}

fn main() {
    let _ = repeat("a".into());
}
