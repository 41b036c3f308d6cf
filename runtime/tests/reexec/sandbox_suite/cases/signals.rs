//! Signals, to a process and to all that descends from it.

use helve_runtime::sandbox::{Exit, Signal};

use crate::sandbox_suite::fixture::{
    Fixture, count_processes_inside, exit_of, id, read_until, sh, unique,
};

pub(crate) async fn a_request_can_be_heard(place: Fixture) {
    let sandbox = place.open().await;
    let script = "trap 'echo heard; exit 3' TERM; echo ready; while :; do sleep 0.05; done";
    sandbox.start(sh("polite", script)).await.unwrap();
    read_until(&*sandbox, "polite", "ready").await;
    sandbox
        .signal(&id("polite"), Signal::Terminate)
        .await
        .unwrap();
    assert_eq!(exit_of(&*sandbox, "polite").await, Exit::Code(3));
    read_until(&*sandbox, "polite", "heard").await;
}

pub(crate) async fn an_interrupt_ends_it(place: Fixture) {
    let sandbox = place.open().await;
    sandbox
        .start(sh("sleeps", "echo ready; exec sleep 600"))
        .await
        .unwrap();
    read_until(&*sandbox, "sleeps", "ready").await;
    sandbox
        .signal(&id("sleeps"), Signal::Interrupt)
        .await
        .unwrap();
    assert_eq!(exit_of(&*sandbox, "sleeps").await, Exit::Signal(2));
    sandbox
        .start(sh("hangs", "echo ready; exec sleep 600"))
        .await
        .unwrap();
    read_until(&*sandbox, "hangs", "ready").await;
    sandbox.signal(&id("hangs"), Signal::Hangup).await.unwrap();
    assert_eq!(exit_of(&*sandbox, "hangs").await, Exit::Signal(1));
}

pub(crate) async fn a_kill_takes_the_whole_tree(place: Fixture) {
    let sandbox = place.open().await;
    let unique = unique();
    let script = format!(
        "trap '' TERM INT HUP; for i in 1 2 3; do sh -c 'sleep {unique} & wait' & done; echo ready; wait"
    );
    sandbox.start(sh("tree", &script)).await.unwrap();
    read_until(&*sandbox, "tree", "ready").await;
    sandbox.signal(&id("tree"), Signal::Kill).await.unwrap();
    assert_eq!(exit_of(&*sandbox, "tree").await, Exit::Signal(9));
    assert_eq!(count_processes_inside(&*sandbox, &unique).await, 0);
}

pub(crate) async fn who_left_the_session_is_found(place: Fixture) {
    let sandbox = place.open().await;
    let unique = unique();
    let script =
        format!("(setsid sh -c 'echo away; exec sleep {unique}' &) ; while :; do sleep 0.05; done");
    sandbox.start(sh("tree", &script)).await.unwrap();
    read_until(&*sandbox, "tree", "away").await;
    // The other one goes on: a signal is for one tree.
    sandbox.start(sh("other", "exec sleep 600")).await.unwrap();
    sandbox.signal(&id("tree"), Signal::Kill).await.unwrap();
    assert_eq!(exit_of(&*sandbox, "tree").await, Exit::Signal(9));
    assert_eq!(
        count_processes_inside(&*sandbox, &format!("sleep.{unique}")).await,
        0
    );
    let other = sandbox
        .status(&id("other"), std::time::Duration::ZERO)
        .await;
    assert_eq!(other.unwrap().exit, None);
}

pub(crate) async fn what_has_ended_is_left_alone(place: Fixture) {
    let sandbox = place.open().await;
    sandbox.start(sh("gone", "exit 4")).await.unwrap();
    exit_of(&*sandbox, "gone").await;
    for signal in [Signal::Interrupt, Signal::Terminate, Signal::Kill] {
        sandbox.signal(&id("gone"), signal).await.unwrap();
    }
    assert_eq!(exit_of(&*sandbox, "gone").await, Exit::Code(4));
}
