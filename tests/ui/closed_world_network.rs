use helve::prelude::*;

/// Asks a server.
#[tool(open_world = false, requires(net))]
async fn ask() -> String {
    String::new()
}

fn main() {}
