use helve::prelude::*;

struct Opaque;

/// Gives a secret.
#[tool]
async fn give() -> Result<Opaque, std::io::Error> {
    Ok(Opaque)
}

fn main() {
    let _ = give();
}
