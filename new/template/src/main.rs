//! The tools and the command line around them.

use helve::prelude::*;

helve::include_skills!("skills");

/// Counts the words of a text.
#[tool(read_only)]
fn count_words(
    /// The text.
    text: &str,
) -> usize {
    text.split_whitespace().count()
}

fn main() -> std::process::ExitCode {
    helve::app!().main()
}
