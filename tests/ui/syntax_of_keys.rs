use helve::prelude::*;

/// Says the time.
#[tool(name "now")]
async fn now() -> String {
    "noon".into()
}

fn main() {
    let _ = now();
}
