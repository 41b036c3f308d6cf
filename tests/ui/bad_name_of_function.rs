use helve::prelude::*;

/// Says the time.
#[tool]
async fn zeitgefühl() -> String {
    "noon".into()
}

fn main() {}
