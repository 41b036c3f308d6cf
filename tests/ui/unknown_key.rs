use helve::prelude::*;

/// Says the time.
#[tool(readonly)]
async fn now() -> String {
    "noon".into()
}

fn main() {
    let _ = now();
}
