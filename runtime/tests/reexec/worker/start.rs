//! When there is a worker, how fast, and how long.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use helve_runtime::worker::{self, JobContext, JobLimits, WorkerError};
use libtest_mimic::Failed;
use serde_json::{Value, json};

use super::{ROLE_VARIABLE, run, short_limits};

/// The app that is killed while a job runs.
pub(super) const APP: &str = "app with a job";

helve_runtime::worker_job! {
    /// Does nothing.
    static NOTHING: "test/nothing" = nothing;
}

fn nothing(_: &mut JobContext, _: Value) -> Result<Value, String> {
    Ok(Value::Null)
}

helve_runtime::worker_job! {
    /// Tells its process, and goes on for ever.
    static ENDLESS: "test/start_endless" = endless;
}

fn endless(port: &mut JobContext, _: Value) -> Result<Value, String> {
    port.call("runs", json!(std::process::id()))?;
    loop {
        std::hint::spin_loop();
    }
}

pub(super) async fn without_the_hook_nothing_runs() {
    let error = worker::run(&NOTHING, json!(0), vec![], short_limits()).await;
    assert!(matches!(error, Err(WorkerError::NotReady)), "{error:?}");
    assert_eq!(
        error.unwrap_err().to_string(),
        "this program did not call `helve::become_helper()`; call it first in `main`"
    );
}

/// The best of many, so that a busy machine does not matter. The bench holds it to 3 ms.
pub(super) async fn a_warm_job_starts_fast() {
    let mut times = Vec::new();
    for _ in 0..40 {
        // The spare of the job before has had time to start.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let begun = Instant::now();
        worker::run(&NOTHING, json!(0), vec![], short_limits())
            .await
            .unwrap();
        times.push(begun.elapsed());
    }
    times.sort();
    println!("warm job: best {:?}, median {:?}", times[0], times[20]);
    assert!(times[0] < Duration::from_millis(20), "{times:?}");
}

/// Runs a job that never ends, and prints the id of its worker.
pub(super) fn app() -> ! {
    let limits = JobLimits {
        cpu: Duration::from_secs(60),
        wall: Duration::from_secs(60),
        ..short_limits()
    };
    let told = |_, process| {
        println!("{process}");
        std::future::ready(Ok(Value::Null))
    };
    let _ = run(async move {
        let _ = worker::run_with_calls(&ENDLESS, json!(0), vec![], limits, told).await;
    });
    std::process::exit(1)
}

/// The app is killed, so that nothing of it can clear up.
pub(super) fn a_worker_dies_with_its_app() -> Result<(), Failed> {
    let mut app = Command::new("/proc/self/exe")
        .env(ROLE_VARIABLE, APP)
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    BufReader::new(app.stdout.take().unwrap()).read_line(&mut line)?;
    let worker = line.trim();
    let place = format!("/proc/{worker}/status");
    assert!(std::fs::exists(&place)?);
    // Where memory runs out, the kernel ends it before the app.
    let score = std::fs::read_to_string(format!("/proc/{worker}/oom_score_adj"))?;
    assert_eq!(score, "1000\n");
    app.kill()?;
    app.wait()?;
    let begun = Instant::now();
    // A process without a parent that reaps is dead, too, once it is a zombie.
    while std::fs::read_to_string(&place).is_ok_and(|status| !status.contains("State:\tZ")) {
        assert!(begun.elapsed() < Duration::from_secs(10), "it still runs");
        std::thread::yield_now();
    }
    Ok(())
}
