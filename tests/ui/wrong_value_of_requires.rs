use helve::prelude::*;

/// Reads a file.
#[tool(requires = "fs")]
async fn read() -> String {
    String::new()
}

fn main() {}
