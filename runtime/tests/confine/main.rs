//! What a sandbox says where something that isolates is missing: each primitive is taken away in a process of its own,
//! which then asks what this machine gives.
//!
//! The program starts itself again to lose a primitive for good, so it has a `main` of its own.

#![allow(clippy::unwrap_used, reason = "tests panic")]

#[cfg(target_os = "linux")]
mod fallback;
#[cfg(target_os = "linux")]
mod missing;
#[cfg(target_os = "linux")]
mod table;

#[cfg(target_os = "linux")]
fn main() {
    helve_runtime::sandbox::become_helper();
    if let Some(primitive) = std::env::var_os(table::ROLE) {
        missing::report(&primitive.to_string_lossy());
        return;
    }
    let arguments = libtest_mimic::Arguments::from_args();
    libtest_mimic::run(&arguments, table::tests()).exit();
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("these are Linux's primitives: nothing was run");
}
