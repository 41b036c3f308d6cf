//! Signals, deadlines, floods, and the end of whoever holds the sandbox.

use std::time::{Duration, Instant};

use helve_runtime::sandbox::{Exit, OutputStream, Sandbox, SandboxError, Signal};

use crate::isolated::fixture::{IsolatedWorld, TIMEOUT, count_processes, eventually, read};

/// A command that is not to survive its end, under a name that nothing else has.
fn sleepers(mark: &str) -> String {
    format!("(setsid sleep {mark} &) ; sleep {mark} & echo ready; sleep {mark}")
}

pub(super) async fn what_is_left_running_is_told() {
    let world = IsolatedWorld::new().await;
    let mark = crate::isolated::fixture::unique_sleep(9);
    let spec = world.spec(["/bin/sh", "-c", &format!("sleep {mark} & exit 0")]);
    let id = spec.id.clone();
    let done = world.run(spec).await.unwrap();
    assert_eq!(done.exit, Some(Exit::Code(0)));
    let status = world.sandbox.status(&id, Duration::ZERO).await.unwrap();
    assert!(status.left_running, "{status:?}");
    world.sandbox.signal(&id, Signal::Kill).await.unwrap();
    eventually(|| count_processes(&mark) == 0).await;
    let done = world.spec(["/bin/true"]);
    let id = done.id.clone();
    world.run(done).await.unwrap();
    let status = world.sandbox.status(&id, Duration::ZERO).await.unwrap();
    assert!(!status.left_running, "{status:?}");
    world.close().await;
}

pub(super) async fn a_signal_reaches_the_whole_tree() {
    let world = IsolatedWorld::new().await;
    let mark = crate::isolated::fixture::unique_sleep(1);
    let script = sleepers(&mark);
    let spec = world.spec(["/bin/sh", "-c", &script]);
    let id = spec.id.clone();
    world.sandbox.start(spec).await.unwrap();
    world
        .sandbox
        .read(read(&id, OutputStream::Stdout, 0))
        .await
        .unwrap();
    world.sandbox.signal(&id, Signal::Kill).await.unwrap();
    let done = world.wait(&id).await.unwrap();
    assert_eq!(done.exit, Some(Exit::Signal(9)));
    eventually(|| count_processes(&mark) == 0).await;
    // One that has ended is left alone.
    world.sandbox.signal(&id, Signal::Kill).await.unwrap();
    let trap = "trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.01; done";
    let spec = world.spec(["/bin/sh", "-c", trap]);
    let id = spec.id.clone();
    world.sandbox.start(spec).await.unwrap();
    world
        .sandbox
        .read(read(&id, OutputStream::Stdout, 0))
        .await
        .unwrap();
    world.sandbox.signal(&id, Signal::Terminate).await.unwrap();
    let done = world.wait(&id).await.unwrap();
    assert_eq!(
        (done.exit, &*done.stdout),
        (Some(Exit::Code(3)), "ready\nbye\n")
    );
    world.close().await;
}

pub(super) async fn its_time_is_up() {
    let world = IsolatedWorld::new().await;
    let mark = crate::isolated::fixture::unique_sleep(2);
    let script = sleepers(&mark);
    let mut spec = world.spec(["/bin/sh", "-c", &script]);
    spec.limits.wall_time = Some(Duration::from_millis(300));
    let before = Instant::now();
    let done = world.run(spec).await.unwrap();
    assert_eq!(
        (done.exit, &*done.stdout),
        (Some(Exit::TimedOut), "ready\n")
    );
    assert!(before.elapsed() < TIMEOUT);
    eventually(|| count_processes(&mark) == 0).await;
    world.close().await;
}

pub(super) async fn a_flood_stays_bounded() {
    let world = IsolatedWorld::new().await;
    let mut spec = world.spec([
        "/bin/sh",
        "-c",
        "head -c 30000000 /dev/zero | tr '\\0' x; echo end",
    ]);
    spec.limits.output = 1 << 20;
    let id = spec.id.clone();
    world.sandbox.start(spec).await.unwrap();
    let status = world.sandbox.status(&id, TIMEOUT).await.unwrap();
    assert_eq!(
        (status.exit, status.stdout),
        (Some(Exit::Code(0)), 30_000_004)
    );
    let chunk = world
        .sandbox
        .read(read(&id, OutputStream::Stdout, 0))
        .await
        .unwrap();
    assert!(chunk.offset > 28_000_000, "{}", chunk.offset);
    let tail = world
        .sandbox
        .read(read(&id, OutputStream::Stdout, 30_000_000))
        .await
        .unwrap();
    assert_eq!((&tail.bytes[..], tail.end), (&b"end\n"[..], true));
    world.close().await;
}

pub(super) async fn closing_ends_everything() {
    let world = IsolatedWorld::new().await;
    let mark = crate::isolated::fixture::unique_sleep(3);
    let script = sleepers(&mark);
    let spec = world.spec(["/bin/sh", "-c", &script]);
    let id = spec.id.clone();
    world.sandbox.start(spec).await.unwrap();
    world
        .sandbox
        .read(read(&id, OutputStream::Stdout, 0))
        .await
        .unwrap();
    world.sandbox.close().await.unwrap();
    assert_eq!(count_processes(&mark), 0);
    world.sandbox.close().await.unwrap();
    let error = world.sandbox.list().await.unwrap_err();
    assert!(matches!(error, SandboxError::Closed { .. }), "{error:?}");
}

pub(super) async fn dropping_ends_everything() {
    let world = IsolatedWorld::new().await;
    let mark = crate::isolated::fixture::unique_sleep(4);
    let script = sleepers(&mark);
    let spec = world.spec(["/bin/sh", "-c", &script]);
    let id = spec.id.clone();
    world.sandbox.start(spec).await.unwrap();
    world
        .sandbox
        .read(read(&id, OutputStream::Stdout, 0))
        .await
        .unwrap();
    drop(world);
    eventually(|| count_processes(&mark) == 0).await;
}

pub(super) async fn a_killed_keeper_takes_all_along() {
    let mark = crate::isolated::fixture::unique_sleep(5);
    let mut app = crate::isolated::fixture::spawn_app(&mark);
    eventually(|| count_processes(&mark) > 0).await;
    crate::isolated::fixture::kill_supervisors_of(app.id());
    eventually(|| count_processes(&mark) == 0).await;
    // It ends when it has been told that the sandbox is gone.
    assert!(app.wait().unwrap().success());
}

pub(super) async fn a_killed_app_takes_all_along() {
    let mark = crate::isolated::fixture::unique_sleep(6);
    let mut app = crate::isolated::fixture::spawn_app(&mark);
    eventually(|| count_processes(&mark) > 0).await;
    app.kill().unwrap();
    app.wait().unwrap();
    eventually(|| count_processes(&mark) == 0).await;
}
