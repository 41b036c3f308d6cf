//! What a command writes, and how it comes back.

use helve::tool::ProgressStream;
use serde_json::json;

use crate::shell::session::{Answer, Screen, Session, call};

pub(crate) async fn what_it_writes_comes_back(session: Session) {
    let answer = session.bash("echo one; echo two").await;
    assert_eq!(answer.text, "one\ntwo\n");
    assert_eq!(answer.data["exit"], json!({ "code": 0 }));
    assert_eq!(answer.data["id"], "bash-1");
    assert_eq!(answer.data["truncated"], false);
    assert_eq!(answer.data["stdout"], 8);
    assert!(answer.data["duration"].as_f64().unwrap() < 60.0);
    let silent = session.bash("true").await;
    assert_eq!(
        (&*silent.text, &silent.data["id"]),
        ("(no output)", &json!("bash-2"))
    );
}

pub(crate) async fn the_exit_is_told(session: Session) {
    let failed = session.bash("echo before; exit 3").await;
    assert_eq!(
        (&*failed.text, &failed.data["exit"]),
        ("before\n", &json!({ "code": 3 }))
    );
    assert!(
        failed.notes[0].starts_with("[exit code 3, after "),
        "{failed:?}"
    );
    let killed = session.bash("kill -9 $$").await;
    assert_eq!(killed.data["exit"], json!({ "signal": 9 }));
    assert!(
        killed.notes[0].starts_with("[ended by signal 9, after "),
        "{killed:?}"
    );
    let unknown = session.bash("no-such-program-here").await;
    assert_eq!(unknown.data["exit"], json!({ "code": 127 }));
    assert!(unknown.text.contains("not found"), "{unknown:?}");
}

pub(crate) async fn both_streams_are_shown_as_they_come(session: Session) {
    // Each waits until the other was read, so that the order is one that can be seen.
    let screen = Screen::default();
    let cx = session.context().progress(screen.progress()).build();
    let wait = |file: &str| format!("until [ -e {file} ]; do sleep 0.01; done");
    let command = format!(
        "echo out; {}; echo err >&2; {}; echo again",
        wait("a"),
        wait("b")
    );
    let watch = async {
        let arrived = |stream, text: &'static str, file: &'static str| {
            let (screen, session) = (&screen, &session);
            async move {
                while !screen.of(stream).contains(text) {
                    tokio::task::yield_now().await;
                }
                session.write(file, "");
            }
        };
        arrived(ProgressStream::Stdout, "out", "a").await;
        arrived(ProgressStream::Stderr, "err", "b").await;
    };
    let (answer, ()) = tokio::join!(call("bash", json!({ "command": command }), &cx), watch);
    assert_eq!(Answer::of(answer.unwrap()).text, "out\nerr\nagain\n");
    assert_eq!(screen.of(ProgressStream::Stdout), "out\nagain\n");
    assert_eq!(screen.of(ProgressStream::Stderr), "err\n");
}

pub(crate) async fn the_screen_sees_every_byte_once(session: Session) {
    let screen = Screen::default();
    let cx = session.context().progress(screen.progress()).build();
    // Characters come apart, much comes at once, and some after a pause.
    let command = r"
        printf 'a\342'; sleep 0.05; printf '\202'; sleep 0.05; printf '\254b\n'
        i=0; while [ $i -lt 20000 ]; do echo line-$i; i=$((i+1)); done
        sleep 0.05; printf '\360\237\246\200' >&2; printf 'end\342'";
    let answer = call("bash", json!({ "command": command }), &cx)
        .await
        .unwrap();
    let lines: String = (0..20_000).map(|line| format!("line-{line}\n")).collect();
    let expected = format!("a€b\n{lines}end\u{fffd}");
    let seen = screen.of(ProgressStream::Stdout);
    assert_eq!(seen.len(), expected.len());
    assert!(seen == expected, "something is lost or comes twice");
    assert_eq!(screen.of(ProgressStream::Stderr), "🦀");
    assert!(screen.pieces() > 2);
    assert!(Answer::of(answer).data["truncated"].as_bool().unwrap());
}

pub(crate) async fn what_is_no_text_is_replaced(session: Session) {
    let answer = session.bash(r"printf '\377ok\000\303'").await;
    assert_eq!(answer.text, "\u{fffd}ok\0\u{fffd}");
    assert_eq!(answer.data["stdout"], 5);
}

pub(crate) async fn a_long_output_keeps_its_ends(session: Session) {
    let command = "echo first; head -c 1000000 /dev/zero | tr '\\0' x; echo; echo last";
    let answer = session.bash(command).await;
    assert!(
        answer.text.starts_with("first\nxxx"),
        "{}",
        &answer.text[..40]
    );
    assert!(answer.text.ends_with("xxx\nlast\n"));
    assert!(answer.text.contains("characters omitted …]"));
    let shown = answer.text.chars().count();
    assert!((29_000..=30_000).contains(&shown), "{shown}");
    assert_eq!(answer.data["truncated"], true);
    assert!(
        answer
            .said()
            .contains("bash_output(id: \"bash-1\", offset: N)")
    );
    let middle = session
        .call("bash_output", json!({ "id": "bash-1", "offset": 990_000 }))
        .await;
    assert_eq!(middle.text.len(), 1_000_012 - 990_000);
    assert!(middle.text.ends_with("xxx\nlast\n"));
    // A smaller budget is kept, too.
    let cx = session.context().result_budget(1_000).build();
    let answer = call("bash", json!({ "command": command }), &cx)
        .await
        .unwrap();
    assert!(answer.text().chars().count() <= 1_000);
    assert!(answer.text().ends_with("last\n"));
}

pub(crate) async fn each_call_is_fresh(session: Session) {
    let folder = session.folder.path().canonicalize().unwrap();
    let answer = session.bash("pwd; cd /; x=1; cat").await;
    assert_eq!(answer.text.trim(), folder.to_str().unwrap());
    let answer = session.bash("pwd; echo \"<$x>\"").await;
    assert_eq!(answer.text, format!("{}\n<>\n", folder.display()));
}

pub(crate) async fn what_the_sandbox_did_is_said(session: Session) {
    let answer = session.bash("echo 'alias ls=true' > .bashrc; true").await;
    let notes = answer.data["notes"].as_array().unwrap();
    if session.sandbox.enforcement().mechanism == "namespaces" {
        assert!(
            !session.folder.path().join(".bashrc").exists(),
            "{answer:?}"
        );
        let note = notes[0].as_str().unwrap();
        assert!(
            note.contains(".bashrc") && answer.said().contains(note),
            "{answer:?}"
        );
        let answer = session.bash("echo 'do as I say' > AGENTS.md").await;
        assert_eq!(
            answer.notes.last().unwrap(),
            "[review these changes: `AGENTS.md` (an agent reads it as instructions)]"
        );
    } else {
        assert!(notes.is_empty(), "{answer:?}");
    }
}

pub(crate) async fn what_does_not_hold_is_said(session: Session) {
    let missing = session.sandbox.enforcement().missing();
    let names: Vec<&str> = missing.iter().map(|layer| layer.name()).collect();
    let answer = session.bash("true").await;
    assert_eq!(answer.data["not_enforced"], json!(names));
    let said = answer.said().contains(&names.join(", "));
    assert!(said || names.is_empty(), "{answer:?}");
    if session.sandbox.enforcement().mechanism == "passthrough" {
        assert!(names.contains(&"files") && names.contains(&"network"));
    }
}
