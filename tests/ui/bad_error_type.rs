use helve::prelude::*;

struct Broken;

/// Gives a number.
#[tool]
async fn give() -> Result<u32, Broken> {
    Err(Broken)
}

fn main() {
    let _ = give();
}
