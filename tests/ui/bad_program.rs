use helve::prelude::*;

/// Runs programs.
#[tool(requires(process("/usr/bin/git", "cargo build", "")))]
async fn run() -> String {
    String::new()
}

fn main() {}
