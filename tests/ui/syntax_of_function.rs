use helve::prelude::*;

/// Says the time.
#[tool]
fn now() -> {
    "noon".into()
}

fn main() {}
