use helve::prelude::*;

/// Asks a server.
#[tool(requires(net, secrets(TOKEN)))]
async fn ask() -> String {
    String::new()
}

fn main() {}
