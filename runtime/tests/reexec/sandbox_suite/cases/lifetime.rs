//! How long a sandbox and what runs in it live, and futures that nobody waits for.

use std::time::Duration;

use futures_util::FutureExt as _;
use helve_runtime::sandbox::OutputStream::Stdout;
use helve_runtime::sandbox::{Exit, SandboxError, Stdin};

use crate::sandbox_suite::fixture::{
    Fixture, TIMEOUT, count_processes_here, exit_of, id, read, read_all, read_until, run_script,
    sh, unique,
};

/// Starts what is hard to end: it ignores requests, and some of it left its session.
fn stubborn(unique: &str) -> String {
    format!(
        "trap '' TERM INT HUP; (setsid sleep {unique} &); sleep {unique} & echo ready; while :; do sleep {unique}; done"
    )
}

pub(crate) async fn closing_ends_everything(place: Fixture) {
    let sandbox = place.open().await;
    let unique = unique();
    sandbox
        .start(sh("stubborn", &stubborn(&unique)))
        .await
        .unwrap();
    read_until(&*sandbox, "stubborn", "ready").await;
    sandbox.close().await.unwrap();
    assert_gone(&place, &unique).await;
    let error = sandbox.start(sh("late", "true")).await.unwrap_err();
    assert!(matches!(error, SandboxError::Closed { .. }), "{error:?}");
    assert!(sandbox.list().await.is_err());
}

pub(crate) async fn closing_twice_does_nothing(place: Fixture) {
    let sandbox = place.open().await;
    run_script(&*sandbox, "something", "true").await;
    for _ in 0..3 {
        sandbox.close().await.unwrap();
    }
}

pub(crate) async fn dropping_ends_everything(place: Fixture) {
    let sandbox = place.open().await;
    let unique = unique();
    sandbox
        .start(sh("stubborn", &stubborn(&unique)))
        .await
        .unwrap();
    read_until(&*sandbox, "stubborn", "ready").await;
    drop(sandbox);
    assert_gone(&place, &unique).await;
}

/// Waits until no process of a sandbox is left, where this test can see it.
async fn assert_gone(place: &Fixture, unique: &str) {
    if !place.kind.is_here {
        return;
    }
    let gone = async {
        while count_processes_here(unique) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let gone = tokio::time::timeout(Duration::from_secs(10), gone).await;
    assert!(gone.is_ok(), "{} are left", count_processes_here(unique));
}

pub(crate) async fn a_start_that_nobody_waits_for_happens_once(place: Fixture) {
    let sandbox = place.open().await;
    let mut names = Vec::new();
    for round in 0..10 {
        let name = format!("r{round}");
        // It is asked for once, and the answer is not waited for.
        let _ = sandbox
            .start(sh(&name, "echo x >> started; echo x"))
            .now_or_never();
        match sandbox.start(sh(&name, "echo x >> started; echo x")).await {
            Ok(_) | Err(SandboxError::ProcessExists { .. }) => names.push(name),
            Err(error) => panic!("{error:?}"),
        }
    }
    for name in &names {
        assert_eq!(exit_of(&*sandbox, name).await, Exit::Code(0));
        assert_eq!(read_all(&*sandbox, name, Stdout).await, b"x\n");
    }
    let started = run_script(&*sandbox, "count", "wc -l < started").await;
    assert_eq!(started.trim(), "10");
}

pub(crate) async fn a_read_that_nobody_waits_for_costs_nothing(place: Fixture) {
    let sandbox = place.open().await;
    let mut spec = sh("cat", "cat");
    spec.stdin = Stdin::Open;
    sandbox.start(spec).await.unwrap();
    for _ in 0..10 {
        let read = read(&*sandbox, "cat", Stdout, 0, TIMEOUT);
        let _ = tokio::time::timeout(Duration::from_millis(2), read).await;
        let cat = id("cat");
        let status = sandbox.status(&cat, TIMEOUT);
        let _ = tokio::time::timeout(Duration::from_millis(2), status).await;
    }
    sandbox
        .write(&id("cat"), b"whole".to_vec(), true)
        .await
        .unwrap();
    assert_eq!(read_all(&*sandbox, "cat", Stdout).await, b"whole");
}

pub(crate) async fn a_write_that_nobody_waits_for_is_whole(place: Fixture) {
    const PIECE: usize = 200_000;
    let sandbox = place.open().await;
    let mut spec = sh("late", "read go; cat");
    spec.stdin = Stdin::Open;
    sandbox.start(spec).await.unwrap();
    // Nobody reads yet, so that it cannot be through at once.
    let cat = id("late");
    let first = sandbox.write(&cat, [b"go\n".to_vec(), vec![b'a'; PIECE]].concat(), false);
    let _ = tokio::time::timeout(Duration::from_millis(1), first).await;
    let write = sandbox.write(&cat, vec![b'b'; PIECE], true);
    let (bytes, wrote) = tokio::join!(read_all(&*sandbox, "late", Stdout), write);
    wrote.unwrap();
    let of = |byte: u8| bytes.iter().filter(|&&other| other == byte).count();
    assert_eq!(of(b'b'), PIECE);
    assert!(
        of(b'a') == PIECE || of(b'a') == 0,
        "{} of {PIECE}",
        of(b'a')
    );
}

pub(crate) async fn another_handle_takes_it_up(place: Fixture) {
    let Some(attach) = &place.kind.attach else {
        return;
    };
    let sandbox = place.open().await;
    let mut spec = sh("cat", "echo before; cat");
    spec.stdin = Stdin::Open;
    sandbox.start(spec).await.unwrap();
    read_until(&*sandbox, "cat", "before").await;
    let other = attach(sandbox.id().clone()).await.unwrap();
    assert_eq!(other.id(), sandbox.id());
    assert_eq!(other.enforcement(), sandbox.enforcement());
    assert_eq!(other.list().await.unwrap(), sandbox.list().await.unwrap());
    other
        .write(&id("cat"), b"after".to_vec(), true)
        .await
        .unwrap();
    assert_eq!(read_all(&*other, "cat", Stdout).await, b"before\nafter");
    assert_eq!(read_all(&*sandbox, "cat", Stdout).await, b"before\nafter");
    assert_eq!(exit_of(&*sandbox, "cat").await, Exit::Code(0));
    assert_eq!(run_script(&*other, "new", "echo new").await, "new\n");
    drop(sandbox);
    assert_eq!(run_script(&*other, "alone", "echo alone").await, "alone\n");
    other.close().await.unwrap();
    let gone = helve_runtime::sandbox::SandboxId::new("no-such-sandbox").unwrap();
    assert!(attach(gone).await.is_err());
}
