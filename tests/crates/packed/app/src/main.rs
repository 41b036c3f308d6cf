//! An app of several crates.

use std::process::ExitCode;

use helve::prelude::*;

helve::link_tools!(linked);

/// Welcomes.
#[tool(read_only)]
async fn welcome() -> &'static str {
    bystander::greeting()
}

/// Panics.
#[tool]
fn panics() -> String {
    panic!("on purpose")
}

fn main() -> ExitCode {
    helve::app!().pack(granted::pack()).main()
}
