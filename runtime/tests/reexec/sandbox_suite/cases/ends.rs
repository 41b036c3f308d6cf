//! How a process ended.

use std::time::{Duration, Instant};

use helve_runtime::sandbox::OutputStream::Stdout;
use helve_runtime::sandbox::{Exit, ProcessSpec};

use crate::sandbox_suite::fixture::{Fixture, TIMEOUT, exit_of, id, read, run, sh};

pub(crate) async fn a_code_is_told(place: Fixture) {
    let sandbox = place.open().await;
    for (name, script, code) in [
        ("zero", "exit 0", 0),
        ("seven", "exit 7", 7),
        ("most", "exit 255", 255),
        ("no-such", "no-such-program-here 2>/dev/null", 127),
        ("as-if", "exit 137", 137),
    ] {
        assert_eq!(
            run(&*sandbox, sh(name, script)).await.exit,
            Exit::Code(code)
        );
    }
    let plain = ProcessSpec::new(id("plain"), ["false"]);
    assert_eq!(run(&*sandbox, plain).await.exit, Exit::Code(1));
}

pub(crate) async fn a_signal_is_told(place: Fixture) {
    let sandbox = place.open().await;
    for (name, signal) in [("kill", 9), ("term", 15), ("segv", 11)] {
        let script = format!("kill -{signal} $$; sleep 600");
        let ran = run(&*sandbox, sh(name, &script)).await;
        assert_eq!(ran.exit, Exit::Signal(signal));
    }
}

pub(crate) async fn the_end_comes_after_the_output(place: Fixture) {
    let sandbox = place.open().await;
    for round in 0..20 {
        let name = format!("r{round}");
        sandbox
            .start(sh(&name, "head -c 100000 /dev/zero; printf last"))
            .await
            .unwrap();
        let status = sandbox.status(&id(&name), TIMEOUT).await.unwrap();
        assert_eq!((status.exit, status.stdout), (Some(Exit::Code(0)), 100_004));
    }
}

pub(crate) async fn the_end_does_not_wait_for_who_stays_behind(place: Fixture) {
    let sandbox = place.open().await;
    sandbox
        .start(sh("parent", "sleep 600 & echo started"))
        .await
        .unwrap();
    assert_eq!(exit_of(&*sandbox, "parent").await, Exit::Code(0));
    let chunk = read(&*sandbox, "parent", Stdout, 0, TIMEOUT).await;
    assert_eq!(chunk.bytes, b"started\n");
}

pub(crate) async fn a_wait_ends_with_the_process(place: Fixture) {
    let sandbox = place.open().await;
    let mut spec = sh("waits", "read go");
    spec.stdin = helve_runtime::sandbox::Stdin::Open;
    sandbox.start(spec).await.unwrap();
    let status = sandbox
        .status(&id("waits"), Duration::from_millis(20))
        .await
        .unwrap();
    assert_eq!(status.exit, None);
    let started = Instant::now();
    let waits = id("waits");
    let (status, ()) = tokio::join!(sandbox.status(&waits, TIMEOUT * 10), async {
        sandbox.write(&waits, b"go\n".to_vec(), true).await.unwrap();
    });
    assert_eq!(status.unwrap().exit, Some(Exit::Code(0)));
    assert!(started.elapsed() < TIMEOUT);
}
