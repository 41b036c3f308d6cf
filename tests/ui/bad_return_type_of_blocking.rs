use helve::prelude::*;

struct Opaque;

/// Gives a secret.
#[tool(blocking)]
fn give() -> Opaque {
    Opaque
}

fn main() {
    give();
}
