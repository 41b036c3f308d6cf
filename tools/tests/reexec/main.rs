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
mod connecting;
#[cfg(all(
    feature = "files",
    feature = "view-image",
    feature = "web",
    target_os = "linux"
))]
mod image;
#[cfg(all(any(feature = "check-code", feature = "shell"), unix))]
#[path = "../../../runtime/tests/support/isolation.rs"]
mod isolation;
#[cfg(all(feature = "pdf", target_os = "linux"))]
mod pages;
#[cfg(all(any(feature = "pdf", feature = "web"), target_os = "linux"))]
#[path = "../../../runtime/tests/support/peaks.rs"]
mod peaks;
#[cfg(all(any(feature = "pdf", feature = "web"), target_os = "linux"))]
mod runtime;
#[cfg(all(feature = "shell", unix))]
mod shell;
#[cfg(all(
    any(
        feature = "pdf",
        all(feature = "files", feature = "view-image", feature = "web")
    ),
    target_os = "linux"
))]
#[path = "../support/mod.rs"]
mod support;
#[cfg(all(feature = "web", target_os = "linux"))]
mod web;

#[cfg(any(
    all(any(feature = "check-code", feature = "shell"), unix),
    all(
        any(feature = "http-request", feature = "pdf", feature = "web"),
        target_os = "linux"
    )
))]
fn main() -> std::process::ExitCode {
    helve::become_helper();
    #[cfg(all(feature = "pdf", target_os = "linux"))]
    if bombs::run_as_role() {
        return std::process::ExitCode::SUCCESS;
    }
    #[cfg(all(feature = "web", target_os = "linux"))]
    if web::run_as_role() {
        return std::process::ExitCode::SUCCESS;
    }
    #[cfg(all(
        feature = "files",
        feature = "view-image",
        feature = "web",
        target_os = "linux"
    ))]
    if image::run_as_role() {
        return std::process::ExitCode::SUCCESS;
    }
    #[cfg(all(feature = "http-request", target_os = "linux"))]
    if connecting::run_as_role() {
        return std::process::ExitCode::SUCCESS;
    }
    let arguments = libtest_mimic::Arguments::from_args();
    let mut tests = Vec::new();
    #[cfg(all(feature = "shell", unix))]
    tests.extend(shell::tests());
    #[cfg(all(feature = "check-code", unix))]
    tests.extend(check_code::tests());
    #[cfg(all(feature = "http-request", target_os = "linux"))]
    tests.extend(connecting::tests());
    #[cfg(all(feature = "pdf", target_os = "linux"))]
    {
        tests.extend(pages::tests());
        tests.extend(bombs::tests());
    }
    #[cfg(all(feature = "web", target_os = "linux"))]
    tests.extend(web::tests());
    #[cfg(all(
        feature = "files",
        feature = "view-image",
        feature = "web",
        target_os = "linux"
    ))]
    tests.extend(image::tests());
    libtest_mimic::run(&arguments, tests).exit_code()
}

#[cfg(not(any(
    all(any(feature = "check-code", feature = "shell"), unix),
    all(
        any(feature = "http-request", feature = "pdf", feature = "web"),
        target_os = "linux"
    )
)))]
fn main() {
    println!(
        "ran nothing: the features `check-code`, `http-request`, `pdf`, `shell` and `web` are off, or this system has none of them"
    );
}
