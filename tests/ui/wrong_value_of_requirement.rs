use helve::prelude::*;

/// Reads a file.
#[tool(requires(fs = false))]
async fn read() -> String {
    String::new()
}

fn main() {}
