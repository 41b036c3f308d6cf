use helve::prelude::*;

/// Asks a server.
#[tool(requires(net("api.github.com", "crates.io/api")))]
async fn now() -> String {
    "noon".into()
}

fn main() {}
