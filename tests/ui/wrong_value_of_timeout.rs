use helve::prelude::*;

/// Says the time.
#[tool(timeout = )]
async fn now() -> String {
    "noon".into()
}

fn main() {}
