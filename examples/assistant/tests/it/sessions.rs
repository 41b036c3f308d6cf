//! Recorded conversations, as a person at a terminal meets them.

mod fixture;

use std::path::Path;

use fixture::SessionsFixture;
use helve::transcript::journal::WriterLocks;
use serde_json::{Value, json};

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
fn one_list_shows_what_waits_in_all_sessions() {
    let state = SessionsFixture::new();
    insta::assert_snapshot!(state.run(&["waiting"]), @r#"
        exit 0
        --- stdout
        waits  Commit this.

        t1/1.0  bash {"command":"git commit -m 'größer'"}
          needs approval: it changes the repository; --always: bash(git commit:*)
          assistant sessions answer waits t1/1.0 allow (or reject)

        t1/1.1  get_weather {"city":"Paris"}
          waits for an external result
          assistant sessions result waits t1/1.1 JSON
        "#);
    let list: Value = serde_json::from_str(&state.stdout_of(&["waiting", "--json"])).expect("JSON");
    let digest = list[0]["waiting"][0]["digest"].as_str().expect("a digest");
    let answer = |options: &[&str]| {
        let call = ["answer", "waits", "t1/1.0", "allow"];
        state.run(&[&call, options].concat())
    };
    let stale = answer(&["--shown", "another"]);
    assert!(
        stale.contains("the question has changed since it was shown"),
        "{stale}"
    );
    assert_eq!(
        answer(&["--shown", digest, "--key", "k", "--as", "ada"]),
        "exit 0\n"
    );
    assert_eq!(
        answer(&["--shown", digest, "--key", "k", "--as", "ada"]),
        "exit 0\n"
    );
    let late = answer(&["--key", "l", "--as", "bob"]);
    assert!(
        late.contains("is already pending; `ada` posted it at"),
        "{late}"
    );
    let empty = SessionsFixture::empty();
    assert_eq!(
        empty.run(&["waiting"]),
        "exit 0\n--- stdout\nnothing waits for an answer\n"
    );
}

#[test]
fn an_export_reads_as_a_conversation() {
    let state = SessionsFixture::new();
    insta::assert_snapshot!(state.stdout_of(&["export", "done"]), @r#"
        # Session done

        - app: assistant
        - began: 2026-11-22T09:30:00.000Z

        ## Turn t1: main

        2026-11-22T09:30:01.000Z

        **User**

        > Commit this.
        > # And then?

        **Assistant**

        I will commit it, and ask for the weather.

        Call of **bash** (`t1/1.0`)

        ```json
        {"command":"git commit -m 'größer'"}
        ```

        Call of **get_weather** (`t1/1.1`)

        ```json
        {"city":"Paris"}
        ```

        `t1/1.0`: needs approval: it changes the repository

        `t1/1.1`: submitted for external execution

        `t1/1.0`: allowed always, in this session: `bash(git commit:*)` ("go on")

        Result of **bash** (`t1/1.0`)

        ````
        [main 1a2b3c4] größer
        ```
        1 file

        The user allowed this call and said: go on
        ````

        Result of **get_weather** (`t1/1.1`), failed

        ```
        no such city
        ```

        **Assistant**

        It is committed, and it is raining.

        *Turn t1 ended: finished*
        "#);
    insta::assert_snapshot!(state.stdout_of(&["export", "waits"]), @r#"
        # Session waits

        - app: assistant
        - began: 2026-11-22T09:30:00.000Z
        - folder: `/work/größe`

        ## Turn t1: main

        2026-11-22T09:30:01.000Z

        **User**

        > Commit this.
        > # And then?

        **Assistant**

        I will commit it, and ask for the weather.

        Call of **bash** (`t1/1.0`)

        ```json
        {"command":"git commit -m 'größer'"}
        ```

        Call of **get_weather** (`t1/1.1`)

        ```json
        {"city":"Paris"}
        ```

        `t1/1.0`: needs approval: it changes the repository

        `t1/1.1`: submitted for external execution

        *`t1/1.0` (bash) is waiting.*

        *`t1/1.1` (get_weather) is waiting.*
        "#);
}

#[test]
fn an_export_has_the_format_of_its_file() {
    let state = SessionsFixture::new();
    let exported = |name: &str| {
        let file = state.path().join(name);
        let seen = state.run(&["export", "done", "--output", file.to_str().expect("a path")]);
        assert!(seen.starts_with("exit 0"), "{seen}");
        std::fs::read_to_string(&file).expect("a file")
    };
    assert_eq!(
        exported("done.md").trim_end(),
        state.stdout_of(&["export", "done"])
    );
    assert!(exported("done.json").starts_with('{'));
    let page = exported("done.html");
    assert_eq!(
        page.trim_end(),
        state.stdout_of(&["export", "done", "--format", "html"])
    );
    let (head, body) = page.split_once("<body>\n").expect("a body");
    assert!(head.contains("<title>Session done</title>"), "{head}");
    let beginning = |text: &str, lines: usize| {
        let lines = text.lines().take(lines);
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    insta::assert_snapshot!(beginning(body, 21), @r##"
    <h1>Session done</h1>
    <ul>
    <li>app: assistant</li>
    <li>began: 2026-11-22T09:30:00.000Z</li>
    </ul>
    <h2>Turn t1: main</h2>
    <p>2026-11-22T09:30:01.000Z</p>
    <p><strong>User</strong></p>
    <blockquote>
    <p>Commit this.</p>
    <h1>And then?</h1>
    </blockquote>
    <p><strong>Assistant</strong></p>
    <p>I will commit it, and ask for the weather.</p>
    <p>Call of <strong>bash</strong> (<code>t1/1.0</code>)</p>
    <pre><code class="language-json">{&quot;command&quot;:&quot;git commit -m &#39;größer&#39;&quot;}
    </code></pre>
    <p>Call of <strong>get_weather</strong> (<code>t1/1.1</code>)</p>
    <pre><code class="language-json">{&quot;city&quot;:&quot;Paris&quot;}
    </code></pre>
    <p><code>t1/1.0</code>: needs approval: it changes the repository</p>
    "##);
    insta::assert_snapshot!(beginning(&exported("done.txt"), 19), @r##"
    Session done

    • app: assistant
    • began: 2026-11-22T09:30:00.000Z

    Turn t1: main

    2026-11-22T09:30:01.000Z

    User

      Commit this.

      And then?

    Assistant

    I will commit it, and ask for the weather.

    "##);
}

#[test]
fn an_export_for_programs_has_the_messages_and_all_entries() {
    let state = SessionsFixture::new();
    let file = state.path().join("done.json");
    let seen = state.run(&[
        "export",
        "done",
        "--format",
        "json",
        "-o",
        &file.display().to_string(),
    ]);
    assert_eq!(seen, "exit 0\n");
    let text = std::fs::read_to_string(&file).expect("it was written");
    let export: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        (&export["format"], &export["session"]),
        (&json!("helve.session.export"), &json!("done"))
    );
    let roles: Vec<_> = export["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .map(|message| &message["role"])
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant"]);
    let entries = export["entries"].as_array().expect("entries");
    assert_eq!(
        (entries.len(), &entries[16]["at"]),
        (17, &json!("2026-11-22T09:30:16.000Z"))
    );
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
    assert_eq!(state.run(&["rm", "done"]), "exit 0\n");
}

#[test]
fn an_answer_is_left_for_whoever_has_the_session() {
    let state = SessionsFixture::new();
    assert_eq!(
        state.run(&[
            "answer",
            "waits",
            "t1/1.0",
            "allow",
            "--always",
            "--message",
            "go on"
        ]),
        "exit 0\n"
    );
    let inbox = state.sessions().join("waits.inbox");
    assert_eq!(names(&inbox), ["t1%2f1.0.json"]);
    insta::assert_snapshot!(std::fs::read_to_string(inbox.join("t1%2f1.0.json")).expect("the posting"), @r#"{"version":1,"type":"answer","call":"t1/1.0","decision":{"type":"allow_always","rules":["bash(git commit:*)"],"scope":"session","message":"go on"}}"#);
    insta::assert_snapshot!(state.run(&["answer", "waits", "t1/1.0", "reject"]), @"
        exit 1
        --- stderr
        error: a posting for `t1/1.0` is already pending
        ");
    insta::assert_snapshot!(state.run(&["answer", "done", "t1/1.0", "reject"]), @"
        exit 2
        --- stderr
        error: `t1/1.0` does not wait for an answer: no such turn is open
        ");
    insta::assert_snapshot!(state.run(&["answer", "waits", "t1/7.0", "allow", "--always"]), @"
        exit 2
        --- stderr
        error: `t1/7.0` does not wait for an answer: no such call in the current round
        ");
    insta::assert_snapshot!(state.run(&["answer", "waits", "1.0", "allow"]), @"
        exit 2
        --- stderr
        error: invalid value '1.0' for '<CALL>': invalid call address `1.0`; expected `turn/round.index`, for example `t1/2.0`

        For more information, try '--help'.
        ");
}

#[test]
fn a_result_has_to_be_json_and_awaited() {
    let state = SessionsFixture::new();
    insta::assert_snapshot!(state.run(&["result", "waits", "t1/1.1", "{"]), @r"
        exit 2
        --- stderr
        error: the result is not valid JSON: EOF while parsing an object at line 1 column 1
        ");
    insta::assert_snapshot!(state.run(&["result", "waits", "t1/1.1", "{}"]), @"exit 0");
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
