//! What the README says about speed, measured against hand-written code in alternating rounds, and held to the bars.
//!
//! `cargo bench --features full` prints the table, with `-- dispatch turn` some of it; with `-- --enforce` or
//! `HELVE_BENCH_ENFORCE=1` a missed bar is a failure.
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot do its work has nothing to say"
)]

mod allocations;
mod delegation;
mod dispatch;
mod grep;
mod harness;
mod jobs;
mod mcp;
mod reading;
mod registry;
#[cfg(target_os = "linux")]
mod sandbox;
mod search;
mod session_search;
mod sessions;
mod shell;
#[cfg(target_os = "linux")]
mod skills;
mod startup;
mod turn;
#[cfg(target_os = "linux")]
mod worker;

use std::process::ExitCode;

/// A part of the table, and what measures it.
type Section = (&'static str, fn() -> Vec<harness::Row>);

fn main() -> ExitCode {
    // The rows of the sandbox start this binary again, too, as the helper beside it.
    helve::become_helper();
    // Some rows need a fresh process: then this same binary is started again to be one.
    if let Some(part) = std::env::args().nth(1) {
        match part.as_str() {
            registry::OURS_ARGUMENT => return registry::print(registry::ours()),
            registry::DIRECT_ARGUMENT => return registry::print(registry::direct()),
            startup::APP_ARGUMENT => return startup::app(),
            sessions::MANY_SESSIONS_ARGUMENT => return sessions::open_many(),
            jobs::CLAIMER_ARGUMENT => return jobs::claim(),
            mcp::SERVER_ARGUMENT => return mcp::serve(),
            _ => {}
        }
    }
    let sections: &[Section] = &[
        ("dispatch", dispatch::rows),
        ("registry", registry::rows),
        ("search", search::rows),
        ("turn", turn::rows),
        ("delegation", delegation::rows),
        ("sessions", sessions::rows),
        ("session-search", session_search::rows),
        ("jobs", jobs::rows),
        ("shell", shell::rows),
        ("reading", reading::rows),
        ("startup", startup::rows),
        ("mcp", mcp::rows),
        ("grep", grep::rows),
        #[cfg(target_os = "linux")]
        ("sandbox", sandbox::rows),
        #[cfg(target_os = "linux")]
        ("worker", worker::rows),
        #[cfg(target_os = "linux")]
        ("skills", skills::rows),
    ];
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let wanted = |name: &str| asked.is_empty() || asked.iter().any(|asked| asked == name);
    let rows: Vec<_> = sections
        .iter()
        .filter(|(name, _)| wanted(name))
        .flat_map(|(_, rows)| rows())
        .collect();
    harness::report(&rows)
}
