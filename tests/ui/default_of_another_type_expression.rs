use helve::prelude::*;

/// Repeats a word.
#[tool]
async fn repeat(
    /// How often.
    #[arg(default = -1)]
    times: u32,
) -> u32 {
    times
}

fn main() {
    let _ = repeat(2);
}
