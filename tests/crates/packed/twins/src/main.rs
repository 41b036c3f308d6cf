//! An app with a tool whose name a granted pack has too.

use std::process::ExitCode;

use helve::prelude::*;

/// Has a name that is taken.
#[tool(read_only)]
fn linked_only() -> &'static str {
    "twin"
}

fn main() -> ExitCode {
    helve::app!().pack(toolset![linked::linked_only]).main()
}
