//! A worker that was taken over, and writes on its socket what it likes.

use std::time::{Duration, Instant};

use helve_runtime::worker::{self, JobContext, JobLimits, WorkerError};
use serde_json::{Value, json};

use super::short_limits;

helve_runtime::worker_job! {
    /// Writes what its argument names, past its port.
    static LIES: "test/lies" = lies;
}

/// Writes on the socket to the app.
fn raw(bytes: &[u8]) {
    let mut rest = bytes;
    while let Ok(written @ 1..) = rustix::io::write(rustix::stdio::stdin(), rest) {
        rest = &rest[written..];
    }
}

fn frame(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = u32::try_from(body.len()).unwrap().to_le_bytes().to_vec();
    bytes.push(kind);
    bytes.extend(body);
    bytes
}

#[expect(unsafe_code, reason = "a taken over process does such things")]
fn lies(_: &mut JobContext, lie: Value) -> Result<Value, String> {
    let (start, data, call, back, done, failed) = (1, 2, 3, 4, 5, 6);
    match lie.as_str().unwrap() {
        "too long" => raw(&[0xff, 0xff, 0xff, 0xff, data]),
        "unknown kind" => raw(&frame(99, b"")),
        "start" => raw(&frame(start, b"{}")),
        "return" => raw(&frame(back, b"{}")),
        "done, no JSON" => raw(&frame(done, b"{")),
        "done, deep JSON" => raw(&frame(done, "[".repeat(500_000).as_bytes())),
        "failed, no failure" => raw(&frame(failed, b"[1]")),
        "call, no call" => raw(&frame(call, b"7")),
        "empty data for ever" => loop {
            raw(&frame(data, b""));
        },
        "data for ever" => loop {
            raw(&frame(data, &[0; 4096]));
        },
        "calls for ever" => loop {
            raw(&frame(call, br#"{"name":"x","arguments":0}"#));
        },
        "half a head" => {
            raw(&[1, 0]);
            std::process::exit(0)
        }
        "half a body" => {
            raw(&frame(data, &[0; 100])[..50]);
            std::process::exit(0)
        }
        "half a body, then silence" => {
            raw(&frame(data, &[0; 100])[..50]);
            std::thread::park();
        }
        "silence" => std::thread::park(),
        "a byte now and then" => loop {
            raw(&[0]);
            std::thread::sleep(Duration::from_millis(300));
        },
        "exit" => std::process::exit(7),
        "abort" => std::process::abort(),
        "trap" => {
            // SAFETY: the process ends here, as the test wants it to.
            unsafe { std::ptr::null_mut::<u8>().write_volatile(1) }
        }
        other => panic!("no lie `{other}`"),
    }
    std::thread::park();
    Ok(Value::Null)
}

async fn worker_error(lie: &str) -> WorkerError {
    let limits = JobLimits {
        // Only silence has to be waited for.
        wall: if lie.contains("silence") || lie.contains("now and then") {
            Duration::from_secs(1)
        } else {
            Duration::from_secs(20)
        },
        output: 1 << 20,
        calls: 50,
        ..short_limits()
    };
    let begun = Instant::now();
    let output = worker::run(&LIES, json!(lie), vec![], limits).await;
    let took = begun.elapsed();
    assert!(
        took < limits.wall + Duration::from_secs(5),
        "{lie}: {took:?}"
    );
    match output {
        Err(error) => error,
        Ok(output) => panic!("{lie}: {output:?}"),
    }
}

pub(super) async fn lies_are_errors() {
    let mut lines = Vec::new();
    for lie in [
        "too long",
        "unknown kind",
        "start",
        "return",
        "done, no JSON",
        "done, deep JSON",
        "failed, no failure",
        "call, no call",
        "empty data for ever",
        "data for ever",
        "calls for ever",
        "half a head",
        "half a body",
        "half a body, then silence",
        "silence",
        "a byte now and then",
    ] {
        lines.push(format!("{lie}: {}", worker_error(lie).await));
    }
    insta::assert_snapshot!(lines.join("\n"), @r"
    too long: the worker broke the protocol: a frame is longer than 1 MiB
    unknown kind: the worker broke the protocol: a frame has a kind that is unknown
    start: the worker broke the protocol: it sends a frame that only the app sends
    return: the worker broke the protocol: it sends a frame that only the app sends
    done, no JSON: the worker broke the protocol: a frame is not what its kind says
    done, deep JSON: the worker broke the protocol: a frame is not what its kind says
    failed, no failure: the worker broke the protocol: a frame is not what its kind says
    call, no call: the worker broke the protocol: a frame is not what its kind says
    empty data for ever: the worker broke the protocol: it sends empty data
    data for ever: the worker broke the protocol: it sends more data than it may
    calls for ever: the worker broke the protocol: it calls its host more often than it may
    half a head: the worker broke the protocol: a frame ends in the middle
    half a body: the worker broke the protocol: a frame ends in the middle
    half a body, then silence: the job did not end within 1 s
    silence: the job did not end within 1 s
    a byte now and then: the job did not end within 1 s
    ");
}

pub(super) async fn each_death_has_its_error() {
    let exit = worker_error("exit").await;
    assert!(matches!(exit, WorkerError::Exited { code: 7 }), "{exit:?}");
    let abort = worker_error("abort").await;
    assert!(
        matches!(abort, WorkerError::Killed { signal: 6 }),
        "{abort:?}"
    );
    let trap = worker_error("trap").await;
    assert!(
        matches!(trap, WorkerError::Killed { signal: 11 }),
        "{trap:?}"
    );
}
