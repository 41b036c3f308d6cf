//! Tests whose program starts itself again: opening the isolated sandbox does so, so there is a `main`.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking, and make their own files"
)]

#[cfg(all(feature = "pdf", target_os = "linux"))]
mod bombs;
#[cfg(all(feature = "check-code", unix))]
mod check_code;
    #[cfg(all(feature = "http-request", target_os = "linux"))]
    if connecting::run_as_role() {
