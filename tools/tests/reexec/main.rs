//! Tests whose program starts itself again: opening the isolated sandbox does so, so there is a `main`.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking, and make their own files"
)]

#[cfg(all(feature = "shell", unix))]
#[path = "../../../runtime/tests/support/isolation.rs"]
mod isolation;
#[cfg(all(feature = "shell", unix))]
mod shell;

#[cfg(all(feature = "shell", unix))]
fn main() -> std::process::ExitCode {
    helve::sandbox::become_helper();
    let arguments = libtest_mimic::Arguments::from_args();
    libtest_mimic::run(&arguments, shell::tests()).exit_code()
}

#[cfg(not(all(feature = "shell", unix)))]
fn main() {
    println!("ran nothing: the feature `shell` is off, or this is no Unix");
}
