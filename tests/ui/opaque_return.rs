use helve::prelude::*;

/// Says the time.
#[tool]
fn now() -> impl std::fmt::Display {
    "noon"
}

fn main() {
    let _ = now().to_string();
}
