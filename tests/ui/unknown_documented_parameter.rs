use helve::prelude::*;

/// Repeats a word.
///
/// # Arguments
///
/// * `word` - the word
/// * `time` - how often
#[tool]
async fn repeat(
    word: &str,
    /// How often.
    times: usize,
) -> String {
    word.repeat(times)
}

fn main() {}
