//! Attacks on the isolated sandbox, and the work that has to go on in it.
//!
//! Each attack runs outside of the sandbox first, in a world that is thrown away, and has to work there, or it is said why
//! it cannot. Then it runs in the sandbox, and nothing of its effect may be seen. As root, the suite runs once more as an
//! unprivileged user.

#![allow(clippy::unwrap_used, reason = "tests panic")]

#[cfg(target_os = "linux")]
mod also;
#[cfg(target_os = "linux")]
mod app;
#[cfg(target_os = "linux")]
mod attacks;
#[cfg(target_os = "linux")]
mod case;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod half;
#[cfg(target_os = "linux")]
mod halves;
#[cfg(target_os = "linux")]
mod inside;
#[cfg(target_os = "linux")]
mod judge;
#[cfg(target_os = "linux")]
mod post;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod table;
#[cfg(target_os = "linux")]
mod world;

use std::process::ExitCode;

fn main() -> ExitCode {
    helve_runtime::sandbox::become_helper();
    #[cfg(target_os = "linux")]
    return halves::run();
    #[cfg(not(target_os = "linux"))]
    {
        println!("the escape suite ran nothing: there is no isolated sandbox on this system");
        ExitCode::SUCCESS
    }
}
