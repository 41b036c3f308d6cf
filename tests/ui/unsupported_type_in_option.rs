use helve::prelude::*;

struct Opaque;

/// Takes a secret.
#[tool]
fn take(
    /// The secret.
    secret: Option<Opaque>,
) {
    drop(secret);
}

fn main() {
    take(None);
}
