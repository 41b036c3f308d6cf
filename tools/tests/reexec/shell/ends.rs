//! How commands are ended.

use std::time::Duration;

use helve::ToolError;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::shell::session::{Session, call};

const STUBBORN: &str = "trap '' TERM; echo ready; while :; do sleep 0.01; done";
const POLITE: &str =
    "trap 'echo asked > asked; exit 5' TERM; echo ready; : > ready; while :; do sleep 0.01; done";

async fn until_there(session: &Session, file: &str) {
    while !session.folder.path().join(file).exists() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

pub(crate) async fn it_is_asked_first(session: Session) {
    let id = session.background(POLITE).await;
    until_there(&session, "ready").await;
    let answer = session.call("bash_kill", json!({ "id": id })).await;
    assert_eq!(
        answer.text,
        format!("`{id}` ended when it was asked to: exit code 5")
    );
    let expected = json!({ "id": id, "exit": { "code": 5 }, "had_ended": false, "killed": false });
    assert_eq!(answer.data, expected);
    until_there(&session, "asked").await;
}

pub(crate) async fn it_is_killed_then(session: Session) {
    let id = session.background(STUBBORN).await;
    let ready = json!({ "id": id, "offset": 0 });
    while session.call("bash_output", ready.clone()).await.text != "ready\n" {}
    let answer = session.call("bash_kill", json!({ "id": id })).await;
    assert_eq!(
        answer.text,
        format!("`{id}` did not end when it was asked to, and was killed: ended by signal 9")
    );
    assert_eq!(answer.data["killed"], true);
}

pub(crate) async fn what_has_ended_is_said(session: Session) {
    session.bash("exit 6").await;
    let answer = session.call("bash_kill", json!({ "id": "bash-1" })).await;
    assert_eq!(answer.text, "`bash-1` had ended already: exit code 6");
    assert_eq!(answer.data["had_ended"], true);
}

pub(crate) async fn a_cancelled_call_ends_it(session: Session) {
    let stop = CancellationToken::new();
    let cx = session.context().cancellation(stop.clone()).build();
    let arguments = json!({ "command": POLITE });
    let (result, ()) = tokio::join!(call("bash", arguments, &cx), async {
        until_there(&session, "ready").await;
        stop.cancel();
    });
    assert!(matches!(result, Err(ToolError::Cancelled(_))), "{result:?}");
    until_there(&session, "asked").await;
}

pub(crate) async fn a_dropped_call_ends_it(session: Session) {
    let cx = session.context().build();
    let arguments = json!({ "command": POLITE });
    tokio::select! {
        result = call("bash", arguments, &cx) => panic!("{result:?}"),
        () = until_there(&session, "ready") => {}
    }
    until_there(&session, "asked").await;
}

pub(crate) async fn a_dry_run_runs_nothing(session: Session) {
    let cx = session.context().dry_run(true).build();
    let arguments = json!({ "command": "touch made" });
    let output = call("bash", arguments, &cx).await.unwrap();
    assert_eq!(
        output.text(),
        "dry run, nothing runs: would run `touch made`"
    );
    assert!(!session.folder.path().join("made").exists());
    assert!(session.sandbox.list().await.unwrap().is_empty());
}
