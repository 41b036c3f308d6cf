use helve::prelude::*;

/// Says the time.
#[tool(timeout = "30 seconds")]
async fn now() -> String {
    "noon".into()
}

fn main() {}
