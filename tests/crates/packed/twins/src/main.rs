//! An app with a tool whose name a linked pack has too.

use std::process::ExitCode;

use helve::prelude::*;

helve::link_tools!(linked);

/// Has a name that is taken.
#[tool(read_only)]
fn linked_only() -> &'static str {
    "twin"
}

fn main() -> ExitCode {
    helve::app!().main()
}
