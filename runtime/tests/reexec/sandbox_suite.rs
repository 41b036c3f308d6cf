//! What every sandbox does, whatever it is made of: one suite, run on each kind that can be opened here.
//!
//! `isolated` and `passthrough` always run; `docker` runs where `HELVE_TEST_DOCKER` names an image, `ssh` where
//! `HELVE_TEST_SSH` names a target.

#![allow(clippy::unwrap_used, reason = "tests panic")]

mod cases;
mod fixture;
mod kinds;
mod other_process;
#[cfg(any(feature = "docker", feature = "ssh"))]
mod remote;

use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Failed, Trial};

use self::cases::SuiteCase;
use self::fixture::Fixture;
use self::kinds::SandboxKind;

/// No case may take longer: all that waits in it has a deadline of its own.
const CASE_TIMEOUT: Duration = Duration::from_secs(120);

pub(crate) fn tests() -> Vec<Trial> {
    let mut trials = Vec::new();
    for kind in kinds::available_kinds() {
        let cases = cases::all().into_iter();
        trials.extend(cases.map(|(name, case)| trial(Arc::clone(&kind), name, case)));
    }
    let name = "sandbox_suite::passthrough::elsewhere";
    trials.push(Trial::test(name, other_process::run));
    trials
}

fn trial(kind: Arc<SandboxKind>, name: &'static str, case: SuiteCase) -> Trial {
    Trial::test(format!("sandbox_suite::{}::{name}", kind.name), move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let place = Fixture::new(kind);
            match tokio::time::timeout(CASE_TIMEOUT, case(place)).await {
                Ok(()) => Ok(()),
                Err(_) => Err(Failed::from(format!(
                    "it took longer than {CASE_TIMEOUT:?}"
                ))),
            }
        })
    })
}
