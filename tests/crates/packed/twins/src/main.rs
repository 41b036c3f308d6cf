//! An app with tools whose name a granted pack has too.

use std::process::ExitCode;

use helve::prelude::*;

/// Has a name that is taken.
#[tool(read_only)]
fn linked_only() -> &'static str {
    "twin"
}

mod elsewhere {
    /// Is given a name that is taken.
    #[helve::tool(name = "linked_only")]
    pub(crate) fn later() {}
}

/// Has a name of its own.
#[tool]
fn other() {}

fn main() -> ExitCode {
    let _ = (elsewhere::later, other);
    helve::app!().pack(toolset![linked::linked_only]).main()
}
