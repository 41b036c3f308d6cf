//! A hostile model at work in real sandboxes, and whether anything came of it outside.
//!
//! `HELVE_ADVERSARY_STEPS` says how many calls it makes, instead of as many as fit into the time of the gate;
//! `HELVE_ADVERSARY_SEED` begins elsewhere, and with `HELVE_ADVERSARY_SCENARIOS=1` repeats one scenario.

#![cfg_attr(
    target_os = "linux",
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        reason = "tests fail by panicking"
    )
)]

#[cfg(target_os = "linux")]
mod approver;
#[cfg(target_os = "linux")]
mod background;
#[cfg(target_os = "linux")]
mod disabled_protection;
#[cfg(target_os = "linux")]
mod fixture;
#[cfg(target_os = "linux")]
mod hooks;
#[cfg(target_os = "linux")]
mod husky;
#[cfg(target_os = "linux")]
#[path = "../../../../runtime/tests/support/isolation.rs"]
mod isolation;
#[cfg(target_os = "linux")]
mod listener;
#[cfg(target_os = "linux")]
mod persistent;
#[cfg(target_os = "linux")]
mod planted;
#[cfg(target_os = "linux")]
mod pool;
#[cfg(target_os = "linux")]
mod programs;
#[cfg(target_os = "linux")]
mod record;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod scenario;
#[cfg(target_os = "linux")]
mod scenes;
#[cfg(target_os = "linux")]
mod schemas;
#[cfg(target_os = "linux")]
mod settings;
#[cfg(target_os = "linux")]
mod site;
#[cfg(target_os = "linux")]
mod sites;
#[cfg(target_os = "linux")]
mod user;
#[cfg(target_os = "linux")]
mod witness;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    helve::become_helper();
    if isolation::skip("adversary") {
        return std::process::ExitCode::SUCCESS;
    }
    match fixture::HomeFolder::from_env() {
        Some(home) => libtest_mimic::run(&libtest_mimic::Arguments::from_args(), run::tests(&home))
            .exit_code(),
        None => fixture::run_with_home(),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("ran nothing: the isolated sandbox is there on Linux alone");
}
