use helve::prelude::*;

/// Asks a server.
#[tool(requires(net("*.192.0.2.1")))]
async fn now() -> String {
    "noon".into()
}

fn main() {}
