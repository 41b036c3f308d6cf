//! Queues of work in state files: against a model, between processes, damaged, and run.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod files;
mod model;
mod processes;
mod runner;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use helve::state::{Claim, NewWork};

/// Returns a point in time, by its seconds.
fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000 + seconds)
}

fn new_work(kind: &str, key: &str, due: SystemTime) -> NewWork {
    NewWork {
        kind: kind.to_owned(),
        key: key.to_owned(),
        due,
        payload: serde_json::json!({ "key": key }),
    }
}

fn claim_of(kind: &str, owner: &str, now: SystemTime, most: usize) -> Claim {
    Claim {
        kinds: vec![kind.to_owned()],
        owner: owner.to_owned(),
        lease: Duration::from_secs(60),
        now,
        most,
    }
}
