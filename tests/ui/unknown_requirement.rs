use helve::prelude::*;

/// Says the time.
#[tool(requires(file))]
async fn now() -> String {
    "noon".into()
}

fn main() {}
