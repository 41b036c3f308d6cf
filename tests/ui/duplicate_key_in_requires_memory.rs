use helve::prelude::*;

/// Notes where a room is.
#[tool(requires(memory, schedules, memory))]
async fn note() -> String {
    String::new()
}

fn main() {}
