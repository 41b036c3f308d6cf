use helve::prelude::*;

/// Asks a server.
#[tool(requires(net("crates.io:https")))]
async fn now() -> String {
    "noon".into()
}

fn main() {}
