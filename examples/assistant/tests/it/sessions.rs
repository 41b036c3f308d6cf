//! Recorded conversations, as a person at a terminal meets them.

mod answers;
mod exports;
mod fixture;
mod searching;

use std::path::Path;

use fixture::SessionsFixture;
use helve::transcript::journal::WriterLocks;
use serde_json::Value;

#[test]
fn a_list_shows_what_there_is() {
    let state = SessionsFixture::new();
    std::fs::write(state.sessions().join("broken.jsonl"), "what?\n").expect("a file");
    insta::assert_snapshot!(state.run(&["list"]), @"
        exit 0
        --- stdout
        done    2026-11-22 09:30  17 entries           Commit this.
        waits   2026-11-22 09:30   8 entries  open     Commit this.
        broken                     0 entries  damaged  `STATE/assistant/sessions/broken.jsonl` is not a journal of this format: the first line is…
        ");
    let list: Value = serde_json::from_str(&state.stdout_of(&["list", "--json"])).expect("JSON");
    insta::assert_snapshot!(format!("{:#}", list[1]), @r#"
        {
          "session": "waits",
          "app": "assistant",
          "folder": "/work/größe",
          "created": "2026-11-22T09:30:00.000Z",
          "updated": "2026-11-22T09:30:07.000Z",
          "title": "Commit this.",
          "entries": 8,
          "open": true,
          "bytes": 1947
        }
        "#);
    let empty = SessionsFixture::empty();
    assert_eq!(empty.run(&["list"]), "exit 0\n--- stdout\nno sessions\n");
    assert_eq!(empty.stdout_of(&["list", "--json"]), "[]");
}

#[test]
fn show_says_where_a_session_stands_and_how_to_answer_it() {
    let state = SessionsFixture::new();
    insta::assert_snapshot!(state.run(&["show", "waits"]), @r#"
        exit 0
        --- stdout
        waits
        Commit this.

        app         assistant
        folder      /work/größe
        created     2026-11-22 09:30
        updated     2026-11-22 09:30 (entry 8)
        messages    2
        turns       1 (open: t1 of main)

        t1/1.0  bash {"command":"git commit -m 'größer'"}
          needs approval: it changes the repository; --always: bash(git commit:*)
          assistant sessions answer waits t1/1.0 allow (or reject)

        t1/1.1  get_weather {"city":"Paris"}
          waits for an external result
          assistant sessions result waits t1/1.1 JSON
        "#);
    insta::assert_snapshot!(state.run(&["show", "done"]), @r"
        exit 0
        --- stdout
        done
        Commit this.

        app         assistant
        created     2026-11-22 09:30
        updated     2026-11-22 09:30 (entry 17)
        messages    4
        turns       1
        allow       bash(git commit:*)
        ");
    insta::assert_snapshot!(state.stdout_of(&["show", "waits", "--json"]), @r#"
        {
          "session": "waits",
          "about": {
            "session": "waits",
            "app": "assistant",
            "folder": "/work/größe"
          },
          "created": "2026-11-22T09:30:00.000Z",
          "updated": "2026-11-22T09:30:07.000Z",
          "title": "Commit this.",
          "entries": 8,
          "turns": 1,
          "messages": 2,
          "open": [
            {
              "agent": "main",
              "turn": "t1",
              "round": 1,
              "totals": {
                "model_calls": 1,
                "tool_calls": 2,
                "usage": {
                  "input_tokens": 0,
                  "output_tokens": 0
                },
                "cost_micro_usd": 0,
                "milliseconds": 0
              }
            }
          ],
          "waiting": [
            {
              "call": "t1/1.0",
              "agent": "main",
              "tool": "bash",
              "arguments": "{\"command\":\"git commit -m 'größer'\"}",
              "awaited": "answer",
              "reason": "it changes the repository",
              "safety": false,
              "suggestions": [
                "bash(git commit:*)"
              ],
              "digest": "5bc8a308895d97d7ce0311f1007d5d84178b5d0d8d363c0e1577ec20813153ea"
            },
            {
              "call": "t1/1.1",
              "agent": "main",
              "tool": "get_weather",
              "arguments": "{\"city\":\"Paris\"}",
              "awaited": "result",
              "digest": "fc942e9df5fdce67c5f651068fa6900942b02cdb05ce525960664d4b78ea1db3"
            }
          ],
          "allow": [],
          "deny": [],
          "artifacts": []
        }
        "#);
}

#[test]
fn a_fork_goes_on_from_an_entry() {
    let state = SessionsFixture::new();
    let fork = state.stdout_of(&["fork", "done", "--at", "8"]);
    let shown = state.run(&["show", &fork]).replace(&fork, "FORK");
    insta::assert_snapshot!(shown, @r#"
        exit 0
        --- stdout
        FORK
        Commit this.

        app         assistant
        forked from done, entry 8
        created     2026-11-22 09:30
        updated     2026-11-22 09:30 (entry 8)
        messages    2
        turns       1 (open: t1 of main)

        t1/1.0  bash {"command":"git commit -m 'größer'"}
          needs approval: it changes the repository; --always: bash(git commit:*)
          assistant sessions answer FORK t1/1.0 allow (or reject)

        t1/1.1  get_weather {"city":"Paris"}
          waits for an external result
          assistant sessions result FORK t1/1.1 JSON
        "#);
    insta::assert_snapshot!(state.run(&["fork", "done", "--at", "18"]), @"
        exit 2
        --- stderr
        error: session `done` has no entry 18: it has 17 entries
        ");
    insta::assert_snapshot!(state.run(&["fork", "nobody"]), @"
    exit 2
    --- stderr
    error: session `nobody` not found
    ");
}

#[test]
fn what_is_removed_is_gone_and_the_rest_is_not() {
    let state = SessionsFixture::new();
    insta::assert_snapshot!(state.run(&["rm", "done", "nobody", "../done"]), @"
    exit 2
    --- stdout
    removed done
    --- stderr
    error: session `nobody` not found
    error: invalid session id `../done`: use up to 100 letters, digits, `.`, `_` and `-`, the first a letter or digit
    ");
    assert_eq!(names(&state.sessions()), [".writers", "waits.jsonl"]);
}

#[test]
fn a_session_that_another_process_has_is_not_removed() {
    let state = SessionsFixture::new();
    let claim = WriterLocks::new(&state.sessions())
        .lock("done")
        .expect("it is free");
    let seen = state.run(&["rm", "done"]);
    let seen = seen.replace(&std::process::id().to_string(), "ID");
    let seen = seen.split(" (`").next().map(str::to_owned);
    assert_eq!(
        seen.as_deref(),
        Some("exit 1\n--- stderr\nerror: session `done` is in use by process ID")
    );
    drop(claim);
    assert_eq!(
        state.run(&["rm", "done"]),
        "exit 0\n--- stdout\nremoved done\n"
    );
}

#[test]
fn damage_is_named_with_what_to_do() {
    let state = SessionsFixture::new();
    let file = state.sessions().join("done.jsonl");
    let text = std::fs::read_to_string(&file).expect("the journal");
    std::fs::write(&file, text.replace("1 file", "2 file")).expect("it is written");
    insta::assert_snapshot!(state.run(&["show", "done"]), @"
    exit 1
    --- stderr
    error: session `done` is damaged after entry 10: `sessions fork done --at 10` goes on from there in a copy; or put back a backup of its journal
      Caused by: `STATE/assistant/sessions/done.jsonl`: line 12 is corrupt (its checksum does not match); the entries before it are intact
    ");
    let fork = state.stdout_of(&["fork", "done", "--at", "9"]);
    assert!(state.run(&["show", &fork]).starts_with("exit 0"));
}

fn names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<_> = files
        .map(|file| {
            file.expect("a file")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .collect();
    names.sort();
    names
}
