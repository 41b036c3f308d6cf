use helve::prelude::*;

struct Opaque;

/// Gives a secret.
#[tool]
async fn give(
    /// How often.
    times: u32,
) -> Opaque {
    let _ = times;
    Opaque
}

fn main() {
    let _ = give(1);
}
