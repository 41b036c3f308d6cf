use helve::prelude::*;

struct Opaque;

type Answer<T> = Result<T, String>;

/// Gives a secret.
#[tool]
async fn give() -> Answer<Opaque> {
    Ok(Opaque)
}

fn main() {
    let _ = give();
}
