//! What the README says about speed, measured against hand-written code in alternating rounds, and held to the bars.
//!
//! `cargo bench` prints the table; with `-- --enforce` or `HELVE_BENCH_ENFORCE=1` a missed bar is a failure.
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot do its work has nothing to say"
)]

mod dispatch;
mod harness;
mod registry;
mod startup;
mod turn;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Some rows need a fresh process: then this same binary is started again to be one.
    if let Some(part) = std::env::args().nth(1) {
        match part.as_str() {
            registry::OURS => return registry::print(registry::ours()),
            registry::DIRECT => return registry::print(registry::direct()),
            startup::APP => return startup::app(),
            _ => {}
        }
    }
    let rows = [
        dispatch::rows(),
        registry::rows(),
        turn::rows(),
        startup::rows(),
    ];
    harness::report(&rows.concat())
}
