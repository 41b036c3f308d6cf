use helve::prelude::*;

/// Says the time.
#[tool(examples = "{}")]
async fn now() -> String {
    "noon".into()
}

fn main() {}
