use helve::prelude::*;

/// Runs a program.
#[tool(requires(process("")))]
async fn now() -> String {
    "noon".into()
}

fn main() {}
