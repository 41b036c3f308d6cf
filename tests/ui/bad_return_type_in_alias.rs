use helve::prelude::*;

struct Opaque;

/// Gives a secret.
#[tool]
async fn give() -> anyhow::Result<Opaque> {
    Ok(Opaque)
}

fn main() {
    let _ = give();
}
