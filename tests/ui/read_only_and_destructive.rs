use helve::prelude::*;

/// Says the time.
#[tool(read_only, destructive)]
async fn now() -> String {
    "noon".into()
}

fn main() {}
