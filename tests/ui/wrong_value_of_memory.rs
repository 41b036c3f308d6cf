use helve::prelude::*;

/// Notes where a room is.
#[tool(requires(memory("user")))]
async fn note() -> String {
    String::new()
}

fn main() {}
