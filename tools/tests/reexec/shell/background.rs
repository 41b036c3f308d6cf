//! Commands that go on in the background.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::shell::session::{Answer, Session, call};

pub(crate) async fn what_takes_longer_goes_on(session: Session) {
    let command = "echo begun; until [ -e go ]; do sleep 0.01; done; echo done";
    let answer = session
        .call("bash", json!({ "command": command, "timeout": 1 }))
        .await;
    assert_eq!(
        (&*answer.text, &answer.data["exit"]),
        ("begun\n", &Value::Null)
    );
    assert!(
        answer
            .said()
            .contains("still running in the background as `bash-1`"),
        "{answer:?}"
    );
    session.write("go", "");
    let answer = session
        .call("bash_output", json!({ "id": "bash-1", "wait": 60 }))
        .await;
    assert_eq!(
        (&*answer.text, &answer.data["exit"]),
        ("done\n", &json!({ "code": 0 }))
    );
}

pub(crate) async fn a_server_is_started_in_the_background(session: Session) {
    let begun = Instant::now();
    let id = session.background("echo listening; exec sleep 600").await;
    assert!(begun.elapsed() < Duration::from_secs(30));
    let answer = session
        .call("bash_output", json!({ "id": id, "offset": 0 }))
        .await;
    assert_eq!(
        (&*answer.text, &answer.data["exit"]),
        ("listening\n", &Value::Null)
    );
}

pub(crate) async fn what_is_new_is_told_once(session: Session) {
    let id = session.background("for i in 1 2 3; do until [ -e $i ]; do sleep 0.01; done; echo $i; echo e$i >&2; : > seen-$i; done; sleep 600").await;
    let look = async || session.call("bash_output", json!({ "id": id })).await.text;
    assert_eq!(look().await, "(no new output)");
    for number in 1..=3 {
        session.write(&number.to_string(), "");
        while !session
            .folder
            .path()
            .join(format!("seen-{number}"))
            .exists()
        {
            tokio::task::yield_now().await;
        }
        // What was written before the mark is there, at the latest a moment later.
        let mut text = String::new();
        while text.len() < 5 {
            let new = look().await;
            if new != "(no new output)" {
                text.push_str(&new);
            }
        }
        assert_eq!(text, format!("{number}\ne{number}\n"));
        assert_eq!(look().await, "(no new output)");
    }
    let all = session
        .call("bash_output", json!({ "id": id, "offset": 0 }))
        .await;
    assert_eq!(all.text, "1\n2\n3\ne1\ne2\ne3\n");
    let part = session
        .call("bash_output", json!({ "id": id, "offset": 4 }))
        .await;
    assert_eq!(part.text, "3\n2\ne3\n");
}

pub(crate) async fn a_wait_ends_with_the_command(session: Session) {
    let id = session
        .background("until [ -e go ]; do sleep 0.01; done; echo end; exit 4")
        .await;
    let begun = Instant::now();
    let cx = session.context().build();
    let wait = call("bash_output", json!({ "id": id, "wait": 600 }), &cx);
    let (answer, ()) = tokio::join!(wait, async { session.write("go", "") });
    let answer = Answer::of(answer.unwrap());
    assert_eq!(
        (&*answer.text, &answer.data["exit"]),
        ("end\n", &json!({ "code": 4 }))
    );
    assert!(begun.elapsed() < Duration::from_secs(50));
    let again = session
        .call("bash_output", json!({ "id": id, "wait": 600 }))
        .await;
    assert_eq!(
        (&*again.text, &again.data["exit"]),
        ("(no new output)", &json!({ "code": 4 }))
    );
}

pub(crate) async fn what_fails_at_once_says_so(session: Session) {
    let arguments = json!({ "command": "echo wrong >&2; exit 2", "background": true });
    let answer = session.call("bash", arguments).await;
    let id = answer.data["id"].clone();
    // It may have been too slow for the first look; then the next one tells.
    let next = session
        .call("bash_output", json!({ "id": id, "wait": 60, "offset": 0 }))
        .await;
    assert_eq!(
        (&*next.text, &next.data["exit"]),
        ("wrong\n", &json!({ "code": 2 }))
    );
}

pub(crate) async fn who_is_unknown_is_said(session: Session) {
    session.bash("true").await;
    let id = session.background("exec sleep 600").await;
    let cx = session.context().build();
    for tool in ["bash_output", "bash_kill"] {
        for name in ["bash-77", "run-1", "../x", "a b"] {
            let error = call(tool, json!({ "id": name }), &cx).await.unwrap_err();
            let text = error.to_string();
            assert!(
                text.contains(&format!("unknown command `{name}`")),
                "{text}"
            );
            assert!(text.contains(&format!("running are `{id}`")), "{text}");
        }
    }
}

pub(crate) async fn a_deadline_leaves_it_in_the_background(session: Session) {
    let deadline = tokio::time::Instant::now() + Duration::from_millis(1_500);
    let cx = session.context().deadline(deadline).build();
    let arguments = json!({ "command": "echo begun; exec sleep 600" });
    let answer = Answer::of(call("bash", arguments, &cx).await.unwrap());
    assert_eq!(
        (&*answer.text, &answer.data["exit"]),
        ("begun\n", &Value::Null)
    );
}
