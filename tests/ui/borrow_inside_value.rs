use helve::prelude::*;

/// Joins words.
#[tool]
async fn join(
    /// The words.
    words: Vec<&str>,
) -> String {
    words.concat()
}

fn main() {
    let _ = join(vec!["a"]);
}
