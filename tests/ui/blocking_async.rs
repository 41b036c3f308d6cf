use helve::prelude::*;

/// Says the time.
#[tool(blocking)]
async fn now() -> String {
    "noon".into()
}

fn main() {}
