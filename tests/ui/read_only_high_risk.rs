use helve::prelude::*;

/// Says the time.
#[tool(read_only, risk = "high")]
async fn now() -> String {
    "noon".into()
}

fn main() {}
