use helve::prelude::*;

/// Repeats something.
#[tool]
async fn repeat<T: ToString>(
    /// What.
    thing: T,
) -> String {
    thing.to_string().repeat(2)
}

fn main() {
    let _ = repeat(3);
}
