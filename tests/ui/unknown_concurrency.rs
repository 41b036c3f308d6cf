use helve::prelude::*;

/// Says the time.
#[tool(concurrency = "serial")]
async fn now() -> String {
    "noon".into()
}

fn main() {}
