//! What uses up memory, the stack, the processor or the time.

use std::time::{Duration, Instant};

use helve_runtime::worker::{self, JobContext, JobLimits, WorkerError};
use serde_json::{Value, json};

use crate::peaks::{children_peak_kib, self_peak_kib};

/// What app and worker may have in memory together, at their peaks.
const MAX_MIB: u64 = 300;

helve_runtime::worker_job! {
    /// Uses up what its argument names.
    static GREEDY: "test/greedy" = greedy;
}

fn greedy(port: &mut JobContext, what: Value) -> Result<Value, String> {
    match what.as_str().unwrap() {
        "memory at once" => Ok(json!(vec![1_u8; 8 << 30].len())),
        "memory piece by piece" => {
            let mut kept = Vec::new();
            loop {
                kept.push(vec![1_u8; 100_000]);
            }
        }
        "small allocations" => {
            let mut kept = Vec::new();
            loop {
                kept.push(Box::new(kept.len()));
            }
        }
        "the stack" => Ok(json!(deep(&[0; 64]))),
        "the processor" => loop {
            std::hint::spin_loop();
        },
        "time" => loop {
            std::thread::park();
        },
        "output" => loop {
            port.write(&[0; 1 << 20])
                .map_err(|error| error.to_string())?;
        },
        other => panic!("nothing uses up `{other}`"),
    }
}

/// Goes deeper for ever.
#[expect(unconditional_recursion, reason = "that is the attack")]
fn deep(above: &[u8; 64]) -> u64 {
    let mut here = *above;
    here[0] = here[0].wrapping_add(1);
    std::hint::black_box(deep(std::hint::black_box(&here))) + u64::from(here[1])
}

async fn worker_error(what: &str, limits: JobLimits) -> WorkerError {
    let begun = Instant::now();
    let output = worker::run(&GREEDY, json!(what), vec![], limits).await;
    let error = output.expect_err(what);
    let took = begun.elapsed();
    println!("{what}: {} ms, {error}", took.as_millis());
    assert!(
        took < limits.wall + Duration::from_secs(5),
        "{what}: {took:?}"
    );
    error
}

pub(super) async fn what_eats_memory_is_bounded() {
    for what in [
        "memory at once",
        "memory piece by piece",
        "small allocations",
        "the stack",
    ] {
        let error = worker_error(what, JobLimits::default()).await;
        assert!(
            matches!(error, WorkerError::Killed { signal: 6 | 11 }),
            "{what}: {error:?}"
        );
    }
    let error = worker_error("output", JobLimits::default()).await;
    assert!(matches!(error, WorkerError::Protocol(_)), "{error:?}");
    let (app, worker) = (self_peak_kib(), children_peak_kib());
    println!("app {} MiB, worker {} MiB", app >> 10, worker >> 10);
    assert!((app + worker) >> 10 < MAX_MIB, "{app} + {worker} KiB");
}

pub(super) async fn what_does_not_end_is_ended() {
    let limits = JobLimits {
        cpu: Duration::from_secs(1),
        wall: Duration::from_secs(20),
        ..JobLimits::default()
    };
    let error = worker_error("the processor", limits).await;
    assert!(
        matches!(error, WorkerError::Killed { signal: 24 }),
        "{error:?}"
    );
    let limits = JobLimits {
        wall: Duration::from_secs(1),
        ..JobLimits::default()
    };
    for what in ["the processor", "time"] {
        let error = worker_error(what, limits).await;
        assert!(matches!(error, WorkerError::Deadline(_)), "{error:?}");
    }
}

/// Ten jobs at once that all take what they can: they wait for each other.
pub(super) async fn jobs_share_their_memory() {
    let limits = JobLimits {
        wall: Duration::from_secs(60),
        ..JobLimits::default()
    };
    let jobs = (0..10).map(|_| worker_error("memory piece by piece", limits));
    for error in futures_util::future::join_all(jobs).await {
        assert!(
            matches!(error, WorkerError::Killed { signal: 6 }),
            "{error:?}"
        );
    }
}
