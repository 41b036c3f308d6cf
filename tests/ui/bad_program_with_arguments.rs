use helve::prelude::*;

/// Runs a program.
#[tool(requires(process("git", "cargo build")))]
async fn now() -> String {
    "noon".into()
}

fn main() {}
