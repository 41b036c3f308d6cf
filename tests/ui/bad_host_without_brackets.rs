use helve::prelude::*;

/// Asks a server.
#[tool(requires(net("2001:db8::1")))]
async fn now() -> String {
    "noon".into()
}

fn main() {}
