//! An app with two tools of one name.

use std::process::ExitCode;

use helve::prelude::*;

/// Says the time.
#[tool]
fn now() {}

mod elsewhere {
    /// Says the time too.
    #[helve::tool(name = "now")]
    pub(crate) fn later() {}
}

/// Says something else.
#[tool]
fn other() {}

fn main() -> ExitCode {
    let _ = (now, elsewhere::later, other);
    helve::app!().main()
}
