use helve::prelude::*;

/// Says the time.
#[tool(read_only, idempotent = false)]
async fn now() -> String {
    "noon".into()
}

fn main() {}
