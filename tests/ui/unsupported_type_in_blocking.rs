use helve::prelude::*;

struct Opaque;

/// Takes a secret.
#[tool(blocking)]
fn take(
    /// The secret.
    secret: Opaque,
) {
    drop(secret);
}

fn main() {
    take(Opaque);
}
