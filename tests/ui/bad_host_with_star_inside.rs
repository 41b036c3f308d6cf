use helve::prelude::*;

/// Asks servers.
#[tool(requires(net("a.*.io")))]
async fn now() -> String {
    "noon".into()
}

fn main() {}
