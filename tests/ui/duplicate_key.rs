use helve::prelude::*;

/// Says the time.
#[tool(title = "Time", read_only, title = "Clock")]
async fn now() -> String {
    "noon".into()
}

fn main() {}
