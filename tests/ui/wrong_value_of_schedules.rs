use helve::prelude::*;

/// Notes when a room is cleaned.
#[tool(requires(schedules = 2))]
async fn note() -> String {
    String::new()
}

fn main() {}
