use helve::prelude::*;

/// Repeats something.
#[tool]
async fn repeat<const N: usize>(
    /// What.
    thing: &str,
) -> String {
    thing.repeat(N)
}

fn main() {
    let _ = repeat::<2>("a");
}
