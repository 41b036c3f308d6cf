use helve::prelude::*;

/// Says the time.
#[tool(title)]
async fn now() -> String {
    "noon".into()
}

fn main() {}
