use helve::prelude::*;

/// Asks a server.
#[tool(requires(net("https://crates.io")))]
async fn now() -> String {
    "noon".into()
}

fn main() {}
