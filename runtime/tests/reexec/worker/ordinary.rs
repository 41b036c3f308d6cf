//! Jobs that behave.

use std::time::{Duration, Instant};

use helve_runtime::worker::{self, JobContext, JobLimits, WorkerError};
use serde_json::{Value, json};

use super::short_limits;

helve_runtime::worker_job! {
    /// Turns bytes round, and gives back its argument.
    static REVERSE: "test/reverse" = reverse;
}

fn reverse(port: &mut JobContext, argument: Value) -> Result<Value, String> {
    let mut bytes = port.take_data();
    bytes.reverse();
    port.write(&bytes).map_err(|error| error.to_string())?;
    Ok(argument)
}

helve_runtime::worker_job! {
    /// Calls each function that its argument names.
    static CALLS: "test/calls" = calls;
}

fn calls(port: &mut JobContext, argument: Value) -> Result<Value, String> {
    let names = argument.as_array().cloned().unwrap_or_default();
    let answers = names.iter().map(|name| {
        let name = name.as_str().unwrap_or_default();
        match port.call(name, json!({ "n": 20 })) {
            Ok(value) => value,
            Err(error) => json!(error),
        }
    });
    Ok(answers.collect())
}

helve_runtime::worker_job! {
    /// Fails, or panics.
    static FAILS: "test/fails" = fails;
}

fn fails(_: &mut JobContext, argument: Value) -> Result<Value, String> {
    match argument.as_str() {
        Some("panic") => panic!("a mistake in the reader"),
        Some("large") => Ok(json!("x".repeat(2 << 20))),
        _ => Err("no header".to_owned()),
    }
}

helve_runtime::worker_job! {
    /// Tells its host that it runs, and goes on for ever.
    static ENDLESS: "test/endless" = endless;
}

fn endless(port: &mut JobContext, _: Value) -> Result<Value, String> {
    port.call("runs", json!(std::process::id()))?;
    loop {
        std::hint::spin_loop();
    }
}

pub(super) async fn values_and_bytes_go_both_ways() {
    for length in [0, 1, (1 << 20) - 1, 1 << 20, (3 << 20) + 7] {
        let data: Vec<u8> = (0..length).map(|n: u32| n as u8).collect();
        let argument = json!({ "length": length });
        let output = worker::run(&REVERSE, argument.clone(), data.clone(), short_limits());
        let output = output.await.unwrap();
        assert_eq!(output.result, argument);
        assert!(output.data.iter().rev().eq(&data), "{length}");
    }
}

pub(super) async fn the_host_answers_calls() {
    let names = json!(["double", "none", "large"]);
    let host = async |name: String, arguments: Value| match &*name {
        "double" => Ok(json!(arguments["n"].as_u64().unwrap() * 2)),
        "large" => Ok(json!("x".repeat(2 << 20))),
        other => Err(format!("no `{other}`")),
    };
    let output = worker::run_with_calls(&CALLS, names, vec![], short_limits(), host).await;
    let expected = json!([40, "no `none`", "the host's answer is larger than 1 MiB"]);
    assert_eq!(output.unwrap().result, expected);
    let output = worker::run(&CALLS, json!(["x"]), vec![], short_limits()).await;
    let expected = json!(["this job has no host function `x`"]);
    assert_eq!(output.unwrap().result, expected);
}

pub(super) async fn failures_and_panics_are_told() {
    for (argument, expected) in [
        ("", "no header"),
        ("panic", "the job panicked: a mistake in the reader"),
        ("large", "the result of the job is larger than 1 MiB"),
    ] {
        let error = worker::run(&FAILS, json!(argument), vec![], short_limits()).await;
        let error = error.unwrap_err();
        assert!(matches!(error, WorkerError::Job(_)), "{error:?}");
        assert_eq!(error.to_string(), expected);
    }
}

pub(super) async fn what_is_too_large_is_refused() {
    let argument = json!("x".repeat(1 << 20));
    let error = worker::run(&REVERSE, argument, vec![], short_limits()).await;
    assert!(matches!(error, Err(WorkerError::TooLarge)));
    let limits = JobLimits {
        output: 10,
        ..short_limits()
    };
    let error = worker::run(&REVERSE, json!(0), vec![0; 11], limits).await;
    assert!(matches!(error, Err(WorkerError::Protocol(_))));
    let limits = JobLimits {
        calls: 1,
        ..short_limits()
    };
    let error = worker::run(&CALLS, json!(["a", "b"]), vec![], limits).await;
    assert!(matches!(error, Err(WorkerError::Protocol(_))));
}

/// A job that nobody waits for any more: its worker is gone at once, not at its deadline.
pub(super) async fn a_dropped_job_ends_its_worker() {
    let (send, mut runs) = tokio::sync::mpsc::unbounded_channel();
    let job = worker::run_with_calls(&ENDLESS, json!(0), vec![], short_limits(), |_, process| {
        let _ = send.send(process);
        std::future::ready(Ok(Value::Null))
    });
    let mut job = Box::pin(job);
    let process = tokio::select! {
        process = runs.recv() => process.unwrap(),
        output = &mut job => panic!("{output:?}"),
    };
    let place = format!("/proc/{process}");
    assert!(std::fs::exists(&place).unwrap());
    drop(job);
    let begun = Instant::now();
    while std::fs::exists(&place).unwrap() {
        assert!(begun.elapsed() < Duration::from_secs(10), "it still runs");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
