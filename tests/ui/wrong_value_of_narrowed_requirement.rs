use helve::prelude::*;

/// Asks a server and runs a program.
#[tool(requires(net = "crates.io", process()))]
async fn ask() -> String {
    String::new()
}

fn main() {}
