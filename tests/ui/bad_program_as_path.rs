use helve::prelude::*;

/// Runs a program.
#[tool(requires(process("/usr/bin/git")))]
async fn now() -> String {
    "noon".into()
}

fn main() {}
