use helve::prelude::*;

/// Counts the messages.
#[tool(requires(conversation("last")))]
async fn count() -> String {
    String::new()
}

fn main() {}
