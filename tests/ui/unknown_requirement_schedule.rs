use helve::prelude::*;

/// Notes when a room is cleaned.
#[tool(requires(memory, schedule))]
async fn note() -> String {
    String::new()
}

fn main() {}
