//! Tests whose program starts itself again: as the helper of a sandbox, as an app that is killed, as a server. So it has a
//! `main` of its own, and each module says which part a process that was started by a test plays.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::needless_pass_by_value,
    reason = "tests fail by panicking"
)]

#[cfg(feature = "sandbox")]
#[path = "../support/isolation.rs"]
mod isolation;
#[cfg(all(target_os = "linux", feature = "worker"))]
#[path = "../support/peaks.rs"]
mod peaks;
#[path = "../support/vectors.rs"]
mod vectors;

#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod confine;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod escape;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod isolated;
#[cfg(feature = "mcp")]
mod mcp_connection;
#[cfg(all(target_os = "linux", feature = "mcp"))]
mod mcp_faults;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod sandbox_network;
#[cfg(feature = "sandbox")]
mod sandbox_suite;
#[cfg(all(unix, feature = "sandbox", feature = "skills"))]
mod skill_projection;
#[cfg(feature = "sandbox")]
mod vectors_sandbox_env;
#[cfg(all(target_os = "linux", feature = "worker"))]
mod worker;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", feature = "worker"))]
    worker::run_unprepared();
    #[cfg(feature = "worker")]
    helve_runtime::become_helper();
    if let Some(ended) = run_as_role() {
        return ended;
    }
    let mut arguments = Arguments::from_args();
    // Most of these tests wait for other processes most of the time.
    arguments.test_threads.get_or_insert(4);
    let failed = libtest_mimic::run(&arguments, tests()).has_failed();
    #[cfg(all(target_os = "linux", feature = "sandbox"))]
    let failed = (isolation::unavailable_reason().is_none() && !escape::run(&arguments)) || failed;
    if failed {
        // As `libtest` ends.
        ExitCode::from(101)
    } else {
        ExitCode::SUCCESS
    }
}

/// Plays the part that a test started this process for, if one did.
fn run_as_role() -> Option<ExitCode> {
    #[cfg(all(target_os = "linux", feature = "mcp"))]
    mcp_faults::run_as_role();
    #[cfg(feature = "mcp")]
    if mcp_connection::run_as_role() {
        return Some(ExitCode::SUCCESS);
    }
    #[cfg(all(target_os = "linux", feature = "sandbox"))]
    {
        isolated::fixture::run_as_role();
        if confine::run_as_role() {
            return Some(ExitCode::SUCCESS);
        }
        if let Some(ended) = escape::run_as_role() {
            return Some(ended);
        }
    }
    #[cfg(all(target_os = "linux", feature = "worker"))]
    worker::run_as_role();
    #[cfg(all(unix, feature = "sandbox", feature = "skills"))]
    if skill_projection::run_as_role() {
        return Some(ExitCode::SUCCESS);
    }
    #[cfg(feature = "sandbox")]
    if let Some(ended) = vectors_sandbox_env::run_as_role() {
        return Some(ended);
    }
    None
}

/// All tests but those of [`escape`], which runs in processes of its own.
#[cfg_attr(
    not(any(feature = "mcp", feature = "worker")),
    expect(unused_mut, reason = "there is nothing to test without these features")
)]
fn tests() -> Vec<Trial> {
    let mut all = Vec::new();
    #[cfg(all(target_os = "linux", feature = "sandbox"))]
    {
        all.extend(confine::tests());
        let what = "confine, isolated, sandbox_network, sandbox_suite::isolated and escape";
        if !isolation::skip(what) {
            all.extend(isolated::tests());
            all.extend(sandbox_network::tests());
        }
    }
    #[cfg(all(target_os = "linux", feature = "worker"))]
    all.extend(worker::tests());
    #[cfg(feature = "mcp")]
    all.extend(mcp_connection::tests());
    #[cfg(all(target_os = "linux", feature = "mcp"))]
    all.extend(mcp_faults::tests());
    #[cfg(feature = "sandbox")]
    all.extend(
        [sandbox_suite::tests(), vectors_sandbox_env::tests()]
            .into_iter()
            .flatten(),
    );
    #[cfg(all(unix, feature = "sandbox", feature = "skills"))]
    all.extend(skill_projection::tests());
    all
}
