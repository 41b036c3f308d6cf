use helve::prelude::*;

/// Asks servers.
#[tool(requires(net(
    "https://crates.io/api",
    "crates.io/api",
    "user@crates.io",
    "crates .io",
    "*crates.io",
    "a.*.io",
    "crates..io",
    "crates.io:http",
    "crates.io:0",
    "::1",
    "[::1",
    "*.192.0.2.1",
    "1.2.3",
    "",
)))]
async fn ask() -> String {
    String::new()
}

fn main() {}
