use helve::prelude::*;

/// Sends a letter.
#[tool(cached)]
async fn send() -> String {
    "sent".into()
}

fn main() {}
