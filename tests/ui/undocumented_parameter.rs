use helve::prelude::*;

/// Repeats a word.
#[tool]
async fn repeat(
    word: &str,
    /// How often.
    times: usize,
) -> String {
    word.repeat(times)
}

fn main() {
    let _ = repeat("a", 2);
}
