use helve::prelude::*;

/// Asks a server.
#[tool(requires(net = "crates.io"))]
async fn now() -> String {
    "noon".into()
}

fn main() {}
