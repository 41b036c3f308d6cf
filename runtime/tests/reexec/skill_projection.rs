//! Skills laid out as files: by many processes at once, by processes that are killed, on disks that are full.

#![allow(clippy::unwrap_used, reason = "tests panic")]

#[cfg(target_os = "linux")]
mod disks;
mod fixture;
mod places;
mod processes;
mod trees;

use libtest_mimic::Trial;

/// Projects, where a test started this process to do so.
pub(crate) fn run_as_role() -> bool {
    let Some(role) = std::env::var_os(fixture::ROLE_VARIABLE) else {
        return false;
    };
    processes::run_role(&role.to_string_lossy());
    true
}

pub(crate) fn tests() -> Vec<Trial> {
    let tests = [
        processes::tests(),
        places::tests(),
        #[cfg(target_os = "linux")]
        disks::tests(),
        trees::tests(),
    ];
    tests.into_iter().flatten().collect()
}
