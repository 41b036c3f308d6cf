//! A job in a warm worker, from its call to its result, against a plain child.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use helve::worker::{self, JobContext, JobLimits};
use serde_json::Value;

use crate::harness::{Bar, Row, measure_alternately, nanos_per_run};

const ROUNDS: usize = 120;

/// How long the spare that the job before left has had to start.
const SPARE_START_TIME: Duration = Duration::from_millis(100);

helve::worker_job! {
    /// Does nothing.
    static NOTHING: "bench/nothing" = nothing;
}

fn nothing(_: &mut JobContext, _: Value) -> Result<Value, String> {
    Ok(Value::Null)
}

pub(crate) fn rows() -> Vec<Row> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let warm = || {
        thread::sleep(SPARE_START_TIME);
        nanos_per_run(1, || {
            let job = worker::run(&NOTHING, Value::Null, Vec::new(), JobLimits::default());
            runtime.block_on(job).unwrap();
        })
    };
    let plain = || {
        let mut command = Command::new("/bin/true");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        nanos_per_run(1, || assert!(command.status().unwrap().success()))
    };
    vec![Row {
        what: "a job in a warm worker",
        against: "posix_spawn",
        bar: Bar::Time(Duration::from_millis(3)),
        rounds: measure_alternately(ROUNDS, warm, plain),
    }]
}
