//! Sessions as files for people and programs.

use serde_json::{Value, json};

use super::fixture::SessionsFixture;

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
    assert_eq!(seen, "exit 0\n--- stdout\nwrote STATE/done.json\n");
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
