//! What `run` takes besides: prompts from a pipe, JSON, bounds, recordings, logs.

use std::process::Stdio;

use crate::config::fixture::ConfigFixture;
use crate::config::server::TestServer;

/// Runs a recorded model.
fn run_recorded(place: &ConfigFixture, arguments: &[&str], input: &[u8]) -> String {
    let mut command = place.command(arguments);
    place.output_of(command.arg("--replay").arg(place.path("says.jsonl")), input)
}

/// Replaces how long the first words took, and when things happened.
fn redact_times(seen: &str) -> String {
    let seen = redact_after(seen, "_ms\":", "MS", |char| !char.is_ascii_digit());
    redact_after(&seen, "\"at\":\"", "TIME", |char| char == '"')
}

/// Replaces what follows each of the keys, up to a character.
fn redact_after(seen: &str, key: &str, word: &str, is_end: fn(char) -> bool) -> String {
    let mut parts = seen.split(key);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.find(is_end).unwrap_or(part.len());
        text.push_str(key);
        text.push_str(word);
        text.push_str(&part[rest..]);
    }
    text
}

#[test]
fn a_run_says_what_it_used_up() {
    let place = ConfigFixture::new().with_recording();
    insta::assert_snapshot!(run_recorded(&place, &["run", "hello"], b""), @r#"
        exit 0
        --- stdout
        > hello

        Done.

        — finished
        --- stderr
        tokens: 1,200 in · 34 out
        "#);
}

#[test]
fn the_prompt_comes_from_a_pipe() {
    let place = ConfigFixture::new().with_recording();
    insta::assert_snapshot!(run_recorded(&place, &["run", "-"], "Größe?\nAnd then?\n".as_bytes()), @r#"
        exit 0
        --- stdout
        > Größe?
        And then?

        Done.

        — finished
        --- stderr
        tokens: 1,200 in · 34 out
        "#);
    insta::assert_snapshot!(run_recorded(&place, &["run", "-"], b" \n"), @r#"
        exit 2
        --- stderr
        error: the prompt is empty
        "#);
    insta::assert_snapshot!(run_recorded(&place, &["run", "-"], b"a\xffb"), @r#"
        exit 2
        --- stderr
        error: the prompt on standard input is not valid UTF-8 (at byte 1)
        "#);
    insta::assert_snapshot!(run_recorded(&place, &["run", ""], b""), @r#"
        exit 2
        --- stderr
        error: the prompt is empty
        "#);
    let large = vec![b'a'; (8 << 20) + 1];
    insta::assert_snapshot!(run_recorded(&place, &["run", "-"], &large), @r#"
        exit 2
        --- stderr
        error: the prompt on standard input is larger than 8 MiB
        help: put the text into a file and let the agent read it
        "#);
}

#[test]
fn json_is_all_that_is_on_standard_output() {
    let place = ConfigFixture::new().with_recording();
    let seen = run_recorded(&place, &["run", "hello", "--json"], b"");
    insta::assert_snapshot!(redact_times(&seen), @r#"
        exit 0
        --- stdout
        {"type":"header","version":1,"app":"assistant","app_version":"0.1.0","session":"SESSION"}
        {"type":"turn_started","agent":"main","turn":"t1","at":"TIME"}
        {"type":"user_message","content":[{"type":"text","text":"hello"}],"agent":"main","turn":"t1","at":"TIME","seq":2}
        {"type":"message_delta","text":"Done.","agent":"main","turn":"t1"}
        {"type":"usage","usage":{"input_tokens":1200,"output_tokens":34},"time_to_first_token_ms":MS,"agent":"main","turn":"t1"}
        {"type":"reply","round":1,"text":"Done.","usage":{"input_tokens":1200,"output_tokens":34},"agent":"main","turn":"t1","at":"TIME","seq":4}
        {"type":"end","reason":"finished","agent":"main","turn":"t1","at":"TIME","seq":5}
        "#);
}

#[test]
fn json_tells_a_failure_and_standard_error_too() {
    let server = TestServer::failing(
        "404 Not Found",
        r#"{"error":{"message":"no such model","code":"model_not_found"}}"#,
    );
    let place = ConfigFixture::new().with_variable("OPENAI_API_KEY", "sk-of-the-user");
    let url = server.url();
    let arguments = [
        "run",
        "hello",
        "--json",
        "--model",
        "openai-chat/gpt-0",
        "--base-url",
        &url,
    ];
    let seen = place.run(&arguments);
    insta::assert_snapshot!(redact_times(&server.redact_url(&seen)), @r#"
        exit 1
        --- stdout
        {"type":"header","version":1,"app":"assistant","app_version":"0.1.0","session":"SESSION"}
        {"type":"turn_started","agent":"main","turn":"t1","at":"TIME"}
        {"type":"user_message","content":[{"type":"text","text":"hello"}],"agent":"main","turn":"t1","at":"TIME","seq":2}
        {"type":"end","reason":"model_failed","error":"openai-chat does not have the requested model or path (404, model_not_found): no such model; check the model's name and the base URL (127.0.0.1:PORT)","agent":"main","turn":"t1","at":"TIME","seq":5}
        --- stderr
        error: the model failed: openai-chat does not have the requested model or path (404, model_not_found): no such model; check the model's name and the base URL (127.0.0.1:PORT)
        "#);
}

#[test]
fn a_session_is_gone_on_with() {
    let place = ConfigFixture::new().with_recording();
    run_recorded(&place, &["run", "hello"], b"");
    let sessions = || {
        let folder = place.path("home/.local/state/helve/assistant/sessions");
        let files = std::fs::read_dir(folder).expect("a folder");
        let names = files.map(|file| file.expect("a file").file_name().into_string());
        let names = names.map(|name| name.expect("a name"));
        let ids = names.filter_map(|name| name.strip_suffix(".jsonl").map(str::to_owned));
        ids.collect::<Vec<_>>()
    };
    let [id] = &sessions()[..] else {
        panic!("there is no session, or more than one");
    };
    for arguments in [
        ["run", "more", "--resume", id],
        ["run", "more", "--session", id],
    ] {
        assert!(run_recorded(&place, &arguments, b"").starts_with("exit 0\n"));
    }
    assert!(run_recorded(&place, &["run", "more", "--continue"], b"").starts_with("exit 0\n"));
    assert_eq!(sessions().len(), 1);
    insta::assert_snapshot!(run_recorded(&place, &["run", "more", "--resume", "nothing"], b""), @"
    exit 2
    --- stderr
    error: session `nothing` not found
    help: run `assistant sessions list` for a list
    ");
}

#[test]
fn a_turn_is_bounded() {
    let call = r#"{"events": [{"type": "tool_call_start", "id": "c1", "name": "datetime"}, {"type": "tool_call_delta", "id": "c1", "arguments": "{}"}, {"type": "stop", "reason": "tool_use"}]}"#;
    let recording = format!("{{\"helve_recording\": 1}}\n{call}\n{call}\n{call}\n");
    let place = ConfigFixture::new()
        .with_file("says.jsonl", &recording)
        .with_user_settings("max_turns = 9\n");
    let seen = run_recorded(
        &place,
        &["run", "what time is it?", "--max-turns", "2"],
        b"",
    );
    let last: Vec<&str> = seen
        .lines()
        .filter(|line| !line.contains("datetime"))
        .collect();
    insta::assert_snapshot!(last.join("\n"), @r#"
        exit 1
        --- stdout
        > what time is it?



        — ended: the bound on model calls was reached
        "#);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_turn_with_a_code_of_its_own() {
    let server = TestServer::silent();
    let place = ConfigFixture::new().with_variable("OPENAI_API_KEY", "sk-of-the-user");
    let url = server.url();
    let mut command = place.command(&["run", "hello", "--model", "openai-chat/m"]);
    let child = command
        .args(["--base-url", &url])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    server.wait_for_a_request();
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("interrupting"), "{told}");
}

#[test]
fn what_a_model_says_is_recorded_and_replayed() {
    let server = TestServer::replying_done();
    let place = ConfigFixture::new()
        .with_user_settings("prices.\"openai-chat/m\" = { input = 1.25, output = 10 }\n");
    let (url, file) = (server.url(), place.path("said.jsonl").display().to_string());
    let place = place.with_variable("OPENAI_API_KEY", "sk-of-the-user");
    let arguments = [
        "run",
        "hello",
        "--model",
        "openai-chat/m",
        "--base-url",
        &url,
        "--record",
        &file,
    ];
    insta::assert_snapshot!(place.run(&arguments), @r#"
        exit 0
        --- stdout
        > hello

        Done.

        — finished
        --- stderr
        tokens: 1,000,000 in · 2,000 out · $1.2700
        "#);
    let recorded = std::fs::read_to_string(&file).expect("a recording");
    insta::assert_snapshot!(recorded, @r#"
        {"helve_recording":1,"prompt":"hello"}
        {"events":[{"type":"reply_started","api":"openai.chat","provider":"openai-chat","model":"m","id":"1"},{"type":"text_delta","text":"Done."},{"type":"usage","input_tokens":1000000,"output_tokens":2000},{"type":"stop","reason":"end_turn"}]}
        "#);
    insta::assert_snapshot!(place.run(&["run", "hello", "--replay", &file]), @r#"
        exit 0
        --- stdout
        > hello

        Done.

        — finished
        --- stderr
        tokens: 1,000,000 in · 2,000 out
        "#);
    insta::assert_snapshot!(place.run(&arguments), @r#"
        exit 1
        --- stderr
        error: PLACE/said.jsonl already exists: choose another path for the recording, or delete the file
        "#);
}

#[test]
fn a_log_is_on_standard_error_or_in_a_file_of_the_users_own() {
    let place = ConfigFixture::new().with_recording();
    let seen = run_recorded(&place, &["run", "hello", "--json", "--log", "debug"], b"");
    let (stdout, stderr) = seen.split_once("--- stderr\n").expect("a log");
    assert!(
        stdout.lines().skip(2).all(|line| line.starts_with('{')),
        "{stdout}"
    );
    assert!(
        stderr.contains(" INFO ") || stderr.contains("DEBUG"),
        "{stderr}"
    );

    let file = place.path("log.txt").display().to_string();
    for _ in 0..2 {
        let seen = run_recorded(
            &place,
            &["run", "hello", "--log", "debug", "--log-file", &file],
            b"",
        );
        assert!(!seen.contains("DEBUG"), "{seen}");
    }
    let log = std::fs::read_to_string(&file).expect("a log");
    assert!(log.contains("DEBUG") || log.contains("INFO"), "{log}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&file)
            .expect("a log")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    insta::assert_snapshot!(run_recorded(&place, &["run", "hello", "--log", "loud"], b""), @r#"
        exit 2
        --- stderr
        error: invalid log filter `loud` (from --log): expected error, warn, info, debug, trace, or a filter such as `helve_agent=debug`
        "#);
    insta::assert_snapshot!(run_recorded(&place, &["run", "hello", "--log-file", "nowhere/log"], b""), @r#"
        exit 2
        --- stderr
        error: failed to open the log file `nowhere/log`
          Caused by: No such file or directory (os error 2)
        "#);
}
