use helve::prelude::*;

/// Says the time.
#[tool(xyzzy)]
async fn now() -> String {
    "noon".into()
}

fn main() {}
