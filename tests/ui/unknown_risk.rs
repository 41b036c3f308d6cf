use helve::prelude::*;

/// Says the time.
#[tool(risk = "hihg")]
async fn now() -> String {
    "noon".into()
}

fn main() {}
