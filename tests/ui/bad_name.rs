use helve::prelude::*;

/// Says the time.
#[tool(name = "the time")]
async fn now() -> String {
    "noon".into()
}

fn main() {}
