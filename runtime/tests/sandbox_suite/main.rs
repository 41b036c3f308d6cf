//! What every sandbox does, whatever it is made of: one suite, run on each kind that can be opened here.
//!
//! `isolated` and `passthrough` always run; `docker` runs where `HELVE_TEST_DOCKER` names an image, `ssh` where
//! `HELVE_TEST_SSH` names a target.

#![allow(clippy::unwrap_used, reason = "tests panic")]

mod cases;
mod elsewhere;
mod kinds;
mod place;
#[cfg(any(feature = "docker", feature = "ssh"))]
mod remote;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};

use self::cases::Case;
use self::kinds::Kind;
use self::place::Place;

/// No case may take longer: all that waits in it has a deadline of its own.
const LONGEST: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    helve_runtime::sandbox::become_helper();
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for kind in kinds::here() {
        let cases = cases::all().into_iter();
        trials.extend(cases.map(|(name, case)| trial(Arc::clone(&kind), name, case)));
    }
    trials.push(Trial::test("passthrough::elsewhere", elsewhere::run));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(kind: Arc<Kind>, name: &'static str, case: Case) -> Trial {
    Trial::test(format!("{}::{name}", kind.name), move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let place = Place::new(kind);
            match tokio::time::timeout(LONGEST, case(place)).await {
                Ok(()) => Ok(()),
                Err(_) => Err(Failed::from(format!("it took longer than {LONGEST:?}"))),
            }
        })
    })
}
