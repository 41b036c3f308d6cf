use helve::prelude::*;

/// Says the time.
#[tool(timeout = "0s")]
async fn now() -> String {
    "noon".into()
}

fn main() {}
