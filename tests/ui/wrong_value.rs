use helve::prelude::*;

/// Says the time.
#[tool(read_only = "yes")]
async fn now() -> String {
    "noon".into()
}

fn main() {}
