use helve::prelude::*;

struct Opaque;

/// Takes a secret.
#[tool]
async fn take(
    /// The secret.
    secret: Opaque,
    /// How often.
    times: u32,
) -> u32 {
    drop(secret);
    times
}

fn main() {
    let _ = take(Opaque, 1);
}
