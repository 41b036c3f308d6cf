//! Agents that several processes share: what is said to them and stops them, and jobs that outlive the process.

use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::terminal::pty::{PtyFixture, call_events, stop_events, text_events, wait_event};

const TIMEOUT: Duration = Duration::from_secs(60);

/// A place with an agent `poet`, and programs that work in it.
struct JobsFixture(PtyFixture);

impl JobsFixture {
    fn new() -> Self {
        let place = PtyFixture::new();
        let agents = place.path("home/.claude/agents");
        std::fs::create_dir_all(&agents).expect("a folder");
        let poet = "---\nname: poet\ndescription: Writes poems.\n---\nYou write poems.\n";
        std::fs::write(agents.join("poet.md"), poet).expect("a file");
        Self(place)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        self.0.command(env!("CARGO_BIN_EXE_workshop"), arguments)
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it starts")
    }

    fn output(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("it starts")
    }

    fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        let text = String::from_utf8(output.stdout).expect("text");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {text}{errors}");
        text
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.stdout(arguments)).expect("JSON")
    }

    /// Waits until a job has a status, and returns the job.
    fn wait_for_job(&self, status: &str) -> Value {
        wait_until(status, || {
            let jobs = self.json(&["jobs", "list", "--json"]);
            Some(jobs[0].clone()).filter(|job| job["status"] == status)
        })
    }

    /// Waits until the events of the only session contain a text, and returns the session.
    fn wait_for_event(&self, text: &str) -> String {
        wait_until(text, || {
            let sessions = self.json(&["sessions", "list", "--json"]);
            let id = sessions[0]["session"].as_str()?.to_owned();
            let events = self.output(&["sessions", "events", &id]).stdout;
            let events = String::from_utf8_lossy(&events).into_owned();
            events.contains(text).then_some(id)
        })
    }

    /// Returns the texts of the notes that the agent of a session has read.
    fn notes(&self, session: &str) -> Vec<String> {
        let events = self.stdout(&["sessions", "events", session]);
        let events = events
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        let notes = events.filter(|event: &Value| event["type"] == "note");
        notes.map(|event| event.to_string()).collect()
    }
}

fn wait_until<T>(what: &str, is_so: impl Fn() -> Option<T>) -> T {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        if let Some(found) = is_so() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited for {what} in vain");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Ends a program as a crash would.
fn kill(mut child: Child) {
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

fn says(text: &str) -> Vec<Value> {
    [text_events(text), stop_events()].concat()
}

/// A reply that never comes.
fn hangs() -> Vec<Value> {
    [vec![wait_event("never")], says("Too late.")].concat()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}

#[test]
fn a_message_of_another_process_is_read_once_and_can_be_revoked() {
    let place = JobsFixture::new();
    let build = call_events("c1", "build", &json!({}));
    place.0.record(&[build, says("C'est fait.")]);
    let run = place.start(&["run", "Build it."]);
    let id = place.wait_for_event("\"type\":\"tool_call\"");
    let say = [
        "sessions",
        "say",
        &id,
        "In French.",
        "--id",
        "n1",
        "--as",
        "ada",
    ];
    assert_eq!(place.stdout(&say), "");
    assert_eq!(place.stdout(&say), "");
    let other = place.stdout(&["sessions", "say", &id, "In German."]);
    let after = [
        "sessions", "say", &id, "Test it.", "--after", "--id", "n2", "--as", "ada",
    ];
    place.stdout(&after);
    let shown = place.stdout(&["sessions", "show", &id]);
    let (_, said) = shown.split_once("\n\nn1").expect("what was said");
    assert!(
        said.starts_with("  In French.\n  is read with the next model call, from ada\n"),
        "{shown}"
    );
    place.stdout(&["sessions", "revoke", &id, other.trim()]);
    let twice = place.output(&["sessions", "revoke", &id, other.trim()]);
    assert_eq!(twice.status.code(), Some(2));
    place.0.open_gate("built");
    let output = run.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    let notes = place.notes(&id);
    assert!(
        notes.len() == 1 && notes[0].contains("In French."),
        "{notes:?}"
    );
    let late = place.output(&["sessions", "revoke", &id, "n1"]);
    let late = String::from_utf8_lossy(&late.stderr).into_owned();
    assert_eq!(late, "error: the agent has read the message `n1` already\n");
    // A message that was read is not read again, and the other one waits for a prompt.
    place.stdout(&say);
    place.0.record(&[says("Bon.")]);
    place.stdout(&["run", "And now?", "--session", &id]);
    let notes = place.notes(&id);
    assert!(
        notes.len() == 2 && notes[1].contains("Test it."),
        "{notes:?}"
    );
}

#[test]
fn another_process_stops_a_turn() {
    let place = JobsFixture::new();
    place.0.record(&[call_events("c1", "build", &json!({}))]);
    let run = place.start(&["run", "Build it."]);
    let id = place.wait_for_event("\"type\":\"tool_call\"");
    place.stdout(&["sessions", "stop", &id]);
    let output = run.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let none = place.output(&["sessions", "stop", &id]);
    let none = String::from_utf8_lossy(&none.stderr).into_owned();
    assert_eq!(none, format!("error: session `{id}` has no open turn\n"));
}

#[test]
fn a_job_ends_while_the_process_of_its_parent_is_dead_and_is_told_once() {
    let place = JobsFixture::new();
    let task = json!({ "agent": "poet", "prompt": "Rain.", "label": "rain", "background": true });
    place
        .0
        .record(&[call_events("c1", "task", &task), hangs(), hangs()]);
    let parent = place.start(&["run", "A poem, please."]);
    let job = place.wait_for_job("running");
    let (name, session) = (text(&job["name"]), text(&job["origin"]["session"]));
    kill(parent);
    let entries = |place: &JobsFixture| {
        let shown = place.json(&["sessions", "show", name, "--json"]);
        shown["entries"].as_u64()
    };
    let before = entries(&place);
    // The next process dies, too, after it has written that it continues the turn.
    place.0.record(&[hangs()]);
    let next = place.start(&["jobs", "run"]);
    wait_until("a job that is continued", || {
        (entries(&place) > before).then_some(())
    });
    kill(next);
    // The parent is dead when its job ends.
    place.0.record(&[says("Rain again.")]);
    let told = place.stdout(&["jobs", "run"]);
    assert_eq!(told, format!("The job `{name}` is done.\n\nRain again.\n"));
    assert_eq!(place.stdout(&["jobs", "run"]), "");
    let job = place.json(&["jobs", "show", name, "--json"]);
    assert_eq!(job["status"], "done");
    assert_eq!(job["text"], "Rain again.");
    assert!(place.notes(session).is_empty());
    // The parent comes back.
    place.0.record(&[says("It rains.")]);
    place.stdout(&["resume", session]);
    let notes = place.notes(session);
    assert!(
        notes.len() == 1 && notes[0].contains("Rain again."),
        "{notes:?}"
    );
    place.0.record(&[says("Still.")]);
    place.stdout(&["jobs", "run"]);
    place.stdout(&["run", "And now?", "--session", session]);
    assert_eq!(place.notes(session).len(), 1);
}

#[test]
fn jobs_are_listed_shown_and_stopped() {
    let place = JobsFixture::new();
    place.0.record(&[]);
    assert_eq!(place.stdout(&["jobs"]), "no jobs\n");
    assert_eq!(place.stdout(&["jobs", "--json"]).trim(), "[]");
    let task = json!({ "agent": "poet", "prompt": "Rain.", "background": true });
    place
        .0
        .record(&[call_events("c1", "task", &task), hangs(), hangs()]);
    let parent = place.start(&["run", "A poem, please."]);
    let job = place.wait_for_job("running");
    let (name, session) = (text(&job["name"]), text(&job["origin"]["session"]));
    let line = place.stdout(&["jobs", "list", "--session", session]);
    assert!(
        line.starts_with(name) && line.ends_with("  running  Rain.\n"),
        "{line}"
    );
    assert_eq!(
        place.stdout(&["jobs", "list", "--session", "other"]),
        "no jobs\n"
    );
    let shown = place.stdout(&["jobs", "show", name]);
    assert!(shown.contains("status      running\n"), "{shown}");
    // The process that works on it stops it.
    place.stdout(&["jobs", "stop", name]);
    place.wait_for_job("stopped");
    let again = place.output(&["jobs", "stop", name]);
    assert_eq!(again.status.code(), Some(2));
    let unknown = place.output(&["jobs", "show", "nothing"]);
    let unknown = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert_eq!(unknown, "error: job `nothing` not found\n");
    kill(parent);
}

#[test]
fn hooks_of_the_user_hold_in_a_job_and_learn_its_session() {
    let place = JobsFixture::new();
    let calls = place.0.path("calls.jsonl");
    let allow = json!({ "hookSpecificOutput": {
        "hookEventName": "PermissionRequest",
        "decision": { "behavior": "allow" },
    } });
    let settings = format!(
        "[sandbox]\nkind = \"passthrough\"\n\n[[hooks]]\non = \"before_tool\"\ncommand = \"\"\"cat >> '{}'\"\"\"\n\n\
         [[hooks]]\non = \"permission\"\ncommand = \"\"\"echo '{}'\"\"\"\n",
        calls.display(),
        allow.to_string().replace('"', "\\\"")
    );
    let folder = place.0.path("home/.config/helve");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("helve.toml"), settings).expect("a file");
    let task = json!({ "agent": "poet", "prompt": "A note.", "background": true });
    place
        .0
        .record(&[call_events("c1", "task", &task), hangs(), hangs()]);
    let parent = place.start(&["run", "A note, please."]);
    let job = place.wait_for_job("running");
    let (name, session) = (text(&job["name"]), text(&job["origin"]["session"]));
    kill(parent);
    let note = json!({ "path": "notes.md", "text": "Rain." });
    place
        .0
        .record(&[call_events("c2", "write_note", &note), says("Noted.")]);
    let told = place.stdout(&["jobs", "run"]);
    assert_eq!(told, format!("The job `{name}` is done.\n\nNoted.\n"));
    let calls = std::fs::read_to_string(calls).expect("calls");
    let calls = calls
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let calls: Vec<(Value, Value)> = calls
        .map(|call: Value| (call["session_id"].clone(), call["tool_name"].clone()))
        .collect();
    let expected = [(session, "Task"), (name, "write_note")];
    assert_eq!(
        calls,
        expected.map(|(session, tool)| (session.into(), tool.into()))
    );
}
