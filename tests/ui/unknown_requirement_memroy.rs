use helve::prelude::*;

/// Notes where a room is.
#[tool(requires(memroy))]
async fn note() -> String {
    String::new()
}

fn main() {}
