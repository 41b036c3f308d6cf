//! `bash`, `bash_output` and `bash_kill`, whole: called as a model calls them, in real sandboxes.
//!
//! Opening the isolated sandbox starts this program again, so it has a `main` of its own.

#![cfg_attr(
    feature = "shell",
    expect(
        clippy::disallowed_methods,
        clippy::unwrap_used,
        reason = "tests make their own files"
    )
)]

#[cfg(all(feature = "shell", unix))]
mod background;
#[cfg(all(feature = "shell", unix))]
mod ends;
#[cfg(all(feature = "shell", target_os = "linux"))]
mod labels;
#[cfg(all(feature = "shell", unix))]
mod output;
#[cfg(all(feature = "shell", unix))]
mod permission;
#[cfg(all(feature = "shell", unix))]
mod session;
#[cfg(all(feature = "shell", unix))]
mod spy;

#[cfg(all(feature = "shell", unix))]
fn main() -> std::process::ExitCode {
    helve::sandbox::become_helper();
    session::main()
}

#[cfg(not(all(feature = "shell", unix)))]
fn main() {
    println!("ran nothing: the feature `shell` is off, or this is no Unix");
}
