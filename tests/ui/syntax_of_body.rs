use helve::prelude::*;

/// Says the time.
#[tool]
async fn now() -> String {
    nope
}

fn main() {
    let _ = now();
}
