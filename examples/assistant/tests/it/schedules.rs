//! Schedules as a person meets them: they are made, run by the daemon, wait for an answer, and are told of in the next chat.
#![cfg(all(unix, target_os = "linux"))]

mod recorded;
mod skills;

use std::os::unix::net::UnixDatagram;
use std::process::Output;

use serde_json::{Value, json};

use crate::terminal::pty::{PtyFixture, call_events, stop_events, text_events};
use crate::toolbox::TOOLBOX;

/// A place with a project, and programs that work in it.
struct ScheduleFixture(PtyFixture);

impl ScheduleFixture {
    /// Runs commands one after another; the ids of sessions are left out.
    fn transcript(&self, commands: &[&[&str]]) -> String {
        let folder = self.0.path("project").canonicalize().expect("a folder");
        let folder = folder.display().to_string();
        let shown = commands
            .iter()
            .map(|arguments| format!("$ {}\n{}", arguments.join(" "), self.run(arguments)));
        let shown = shown.collect::<String>().replace(&folder, "PROJECT");
        let lines = shown
            .lines()
            .map(|line| match line.starts_with("skill-tidy-2") {
                true => "SESSION",
                false => line,
            });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn new(replies: &[Vec<Value>]) -> Self {
        Self(PtyFixture::new().with_recording(replies))
    }

    fn output(&self, binary: &str, arguments: &[&str]) -> Output {
        let output = self.0.command(binary, arguments).output();
        output.expect("it starts")
    }

    /// Runs the program, and returns all that it prints, with names in place of what differs.
    fn run(&self, arguments: &[&str]) -> String {
        let output = self.output(env!("CARGO_BIN_EXE_workshop"), arguments);
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).expect("text");
        match output.status.code() {
            Some(0) => text,
            code => format!("exit {code:?}\n{text}"),
        }
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let text = self.run(&[arguments, &["--json"]].concat());
        serde_json::from_str(&text).expect(&text)
    }
}

fn says(text: &str) -> Vec<Value> {
    [text_events(text), stop_events()].concat()
}

const MORNING: [&str; 6] = [
    "schedule",
    "add",
    "Morning tea",
    "2099-12-01T09:00",
    "Make tea, and say so.",
    "--time-zone=Europe/Berlin",
];

#[test]
fn a_schedule_is_added_shown_paused_and_removed() {
    let place = ScheduleFixture::new(&[]);
    let added = place.run(&MORNING);
    insta::assert_snapshot!(added, @"
    morning-tea
    Morning tea

    status      active
    when        at 2099-12-01T08:00:00Z (Europe/Berlin)
                Once, on Tue 2099-12-01 09:00 +01:00
    next        Tue 2099-12-01 09:00 +01:00
    agent       main
    made by     a person
    mode        default
    runs        0

    Make tea, and say so.
    no daemon works in this folder: start `workshop daemon`, or see `workshop daemon --print-unit`
    ");
    place.run(&[
        "schedule",
        "add",
        "Look",
        "0 9 * * 1-5",
        "Look.",
        "--max-runs=3",
        "--mode=dont_ask",
    ]);
    let look = place.run(&["schedule", "show", "look"]);
    assert!(look.contains("mode        dont_ask\n"), "{look}");
    let shown = [
        &["schedule", "pause", "morning-tea"][..],
        &["schedule", "rm", "look"],
        &["schedule"],
        &["schedule", "resume", "morning-tea"],
        &["schedule", "list"],
        &["schedule", "runs"],
        &["schedule", "inbox"],
        &["schedule", "rm", "morning-tea"],
        &["schedule", "list"],
    ]
    .map(|arguments| format!("$ {}\n{}", arguments.join(" "), place.run(arguments)));
    insta::assert_snapshot!(shown.concat(), @"
    $ schedule pause morning-tea
    paused morning-tea
    $ schedule rm look
    removed look
    $ schedule
    morning-tea  paused    at 2099-12-01T08:00:00Z  Morning tea
    $ schedule resume morning-tea
    resumed morning-tea
    $ schedule list
    morning-tea  active  Tue 2099-12-01 09:00 +01:00  at 2099-12-01T08:00:00Z  Morning tea
    $ schedule runs
    no runs
    $ schedule inbox
    no runs
    $ schedule rm morning-tea
    removed morning-tea
    $ schedule list
    no schedules; `workshop schedule add NAME WHEN PROMPT` makes one
    ");
}

#[test]
fn what_is_wrong_about_a_schedule_is_said_before_it_is_stored() {
    let place = ScheduleFixture::new(&[]);
    let add = |when: &str, more: &[&str]| {
        let arguments = [&["schedule", "add", "Tea", when, "Make tea."], more].concat();
        place.run(&arguments)
    };
    let shown = [
        add("at tea time", &[]),
        add("every 5s", &[]),
        add("0 0 30 2 *", &[]),
        add("2001-01-01T00:00", &[]),
        add("every 1h", &["--time-zone=Europe/Bern"]),
        add("every 1h", &["--until=2001-01-01T00:00"]),
        add("every 1h", &["--until=every 2h"]),
        add("every 1h", &["--agent=poet"]),
        place.run(&["schedule", "add", "", "every 1h", "Make tea."]),
        place.run(&["schedule", "show", "tea"]),
        place.run(&["schedule", "rm", "../tea"]),
        place.run(&["schedule", "runs", "tea"]),
        add("@dayly", &[]),
        add("every weekday at 8", &[]),
        add("60 9 * * *", &[]),
        place.run(&["daemon", "--print-unit=sysv"]),
    ];
    insta::assert_snapshot!(shown.join("\n"), @"
    exit Some(2)
    error: `at tea time` is no schedule: it is no time, no delay and no interval; write `0 9 * * 1-5`, `every 2h`, `in 30m` or `2026-12-01T09:00`

    exit Some(2)
    error: `every 5s` is no schedule: the shortest interval is a minute; write `0 9 * * 1-5`, `every 2h`, `in 30m` or `2026-12-01T09:00`

    exit Some(2)
    error: `0 0 30 2 *` is no schedule: no day matches it; write `0 9 * * 1-5`, `every 2h`, `in 30m` or `2026-12-01T09:00`

    exit Some(2)
    error: `2001-01-01T00:00` is no schedule: this time is over; write `0 9 * * 1-5`, `every 2h`, `in 30m` or `2026-12-01T09:00`

    exit Some(2)
    error: there is no time zone `Europe/Bern`; write an IANA name such as `Europe/Berlin`

    exit Some(2)
    error: `2001-01-01T00:00` is no end of a schedule: this time is over; write `2026-12-01T09:00` or `in 30d`

    exit Some(2)
    error: `every 2h` is no end of a schedule: it is not a single time; write `2026-12-01T09:00` or `in 30d`

    exit Some(2)
    error: no agent is called `poet`
    help: run `workshop agents` for a list

    exit Some(2)
    error: the name of a schedule has 1 to 64 characters, not 0

    exit Some(2)
    error: there is no schedule `tea`
    help: run `workshop schedule list` for the ids

    exit Some(2)
    error: there is no schedule `../tea`
    help: run `workshop schedule list` for the ids

    exit Some(2)
    error: there is no schedule `tea`
    help: run `workshop schedule list` for the ids

    exit Some(2)
    error: `@dayly` is no schedule: the names are @hourly, @daily, @weekly, @monthly and @yearly; write `0 9 * * 1-5`, `every 2h`, `in 30m` or `2026-12-01T09:00`

    exit Some(2)
    error: `every weekday at 8` is no schedule: `weekday at 8` is no length of time, and days are written as in the first of these; write `0 9 * * 1-5`, `every 2h`, `in 30m` or `2026-12-01T09:00`

    exit Some(2)
    error: `60 9 * * *` is no schedule: a number is out of its range: minute 0-59, hour 0-23, day 1-31, month 1-12, day of the week 0-7; write `0 9 * * 1-5`, `every 2h`, `in 30m` or `2026-12-01T09:00`

    exit Some(2)
    error: invalid value 'sysv' for '--print-unit [<MANAGER>]'
      [possible values: systemd, launchd]

      tip: a similar value exists: 'systemd'

    For more information, try '--help'.
    ");
    assert_eq!(
        place.run(&["schedule"]),
        "no schedules; `workshop schedule add NAME WHEN PROMPT` makes one\n"
    );
}

#[test]
fn the_daemon_works_on_what_is_due_and_the_next_chat_says_so() {
    let place = ScheduleFixture::new(&[says("Tea is made."), says("[SILENT] There is tea.")]);
    place.run(&MORNING);
    assert_eq!(place.run(&["daemon", "--once"]), "");
    place.run(&["schedule", "run", "morning-tea"]);
    assert_eq!(
        place.run(&["daemon", "--once"]),
        "The scheduled run `Morning tea` is done.\n\nTea is made.\n"
    );
    let runs = place.json(&["schedule", "runs", "morning-tea"]);
    assert_eq!(
        (&runs[0]["status"], &runs[0]["text"]),
        (&json!("done"), &json!("Tea is made."))
    );
    let session = runs[0]["session"].as_str().expect("a session");
    let sessions = place.run(&["sessions", "list"]);
    assert!(
        sessions.contains(session) && sessions.contains("Make tea, and say so."),
        "{sessions}"
    );
    let mut terminal = place.0.start_workshop(&["chat"]);
    terminal.wait_for("scheduled run morning-tea: Tea is made.");
    terminal.type_line("/quit");
    terminal.wait_for_exit();
    assert_eq!(place.run(&["schedule", "inbox"]), "no runs\n");
}

#[test]
fn nothing_that_is_due_needs_no_model() {
    let place = ScheduleFixture::new(&[]);
    place.run(&MORNING);
    let once = || {
        let output = place.output(&TOOLBOX, &["daemon", "--once"]);
        let text = String::from_utf8(output.stderr).expect("text");
        (output.status.code(), text)
    };
    assert_eq!(once(), (Some(0), String::new()));
    place.output(&TOOLBOX, &MORNING);
    assert_eq!(once(), (Some(0), String::new()));
    let made = place.output(&TOOLBOX, &["schedule", "run", "morning-tea"]);
    let session = String::from_utf8(made.stdout).expect("text");
    assert!(!session.contains('.'), "{session}");
    let note = String::from_utf8(made.stderr).expect("text");
    assert!(
        note.starts_with("no daemon works in this folder: "),
        "{note}"
    );
    let (code, text) = once();
    assert!(
        code == Some(2) && text.contains("no model is selected"),
        "{code:?} {text}"
    );
}

#[test]
fn a_run_waits_for_approval_and_goes_on_with_the_answer() {
    let note = json!({ "path": "notes.md", "text": "Tea.\n" });
    let asks = call_events("c1", "write_note", &note);
    let place = ScheduleFixture::new(&[asks]);
    place.run(&MORNING);
    place.run(&["schedule", "run", "morning-tea"]);
    let told = place.run(&["daemon", "--once"]);
    let runs = place.json(&["schedule", "inbox"]);
    let session = runs[0]["session"].as_str().expect("a session");
    let inbox = place.run(&["schedule", "inbox"]);
    let named = |text: &str| text.replace(session, "SESSION");
    insta::assert_snapshot!(format!("{}---\n{}", named(&told), named(&inbox)), @"
    The scheduled run `Morning tea` waits: call t1/1.0 of `write_note` needs approval: it changes `notes.md`
    ---
    scheduled run morning-tea waits: call t1/1.0 of `write_note` needs approval: it changes `notes.md`
      workshop sessions show SESSION
    ");
    let reason = runs[0]["reason"].as_str().expect("a reason");
    let call = reason.split(' ').nth(1).expect("a call");
    place.run(&["sessions", "answer", session, call, "allow"]);
    place.0.record(&[says("It is noted.")]);
    let told = wait_for_text(|| place.run(&["daemon", "--once"]));
    assert_eq!(
        told,
        "The scheduled run `Morning tea` is done.\n\nIt is noted.\n"
    );
}

/// Calls until there is text: a run that waits is looked at again after a pause.
fn wait_for_text(call: impl Fn() -> String) -> String {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    loop {
        let text = call();
        if !text.is_empty() {
            return text;
        }
        assert!(std::time::Instant::now() < deadline, "there is no text");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

#[test]
fn a_model_makes_a_schedule_in_words() {
    let schedule = json!({
        "name": "Call Ann",
        "prompt": "Remind the user to call Ann.",
        "when": "2099-12-01T09:00",
        "time_zone": "Asia/Tokyo",
    });
    let create = call_events("c1", "schedule_create", &schedule);
    let list = call_events("c2", "schedule_list", &json!({}));
    let place = ScheduleFixture::new(&[create, list, says("I will.")]);
    let replies = place.0.path("replies.jsonl").display().to_string();
    let toolbox = |arguments: &[&str]| {
        let output = place.output(&TOOLBOX, arguments);
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8(text).expect("text")
    };
    let said = toolbox(&[
        "run",
        "Remind me.",
        "--replay",
        &replies,
        "--allow",
        "schedule_create",
    ]);
    assert!(said.contains("I will."), "{said}");
    insta::assert_snapshot!(toolbox(&["schedule", "list"]), @"call-ann  active  Tue 2099-12-01 09:00 +09:00  at 2099-12-01T00:00:00Z  Call Ann");
    let made: Value =
        serde_json::from_str(&toolbox(&["schedule", "show", "call-ann", "--json"])).expect("JSON");
    let session = made["schedule"]["session"].as_str().expect("a session");
    assert!(toolbox(&["sessions", "list"]).contains(session));
    // Without the rule, it is not made.
    let before = toolbox(&["schedule", "list"]);
    toolbox(&["run", "Remind me.", "--replay", &replies]);
    assert_eq!(toolbox(&["schedule", "list"]), before);
}

#[test]
fn units_start_the_daemon_in_its_folder() {
    let place = ScheduleFixture::new(&[]);
    let binary = env!("CARGO_BIN_EXE_workshop");
    let folder = place.0.path("project").canonicalize().expect("a folder");
    for manager in [&["--print-unit=systemd"][..], &["--print-unit", "launchd"]] {
        let unit = place.run(&[&["daemon"], manager].concat());
        assert!(unit.contains(binary), "{unit}");
        let state = format!("HELVE_STATE={}", place.0.path("state").display());
        assert!(unit.contains(&state), "{unit}");
        assert!(unit.contains(&folder.display().to_string()), "{unit}");
    }
}

#[test]
fn the_service_manager_hears_that_the_daemon_is_ready_and_that_it_ends() {
    let place = ScheduleFixture::new(&[]);
    let path = place.0.path("notify");
    let manager = UnixDatagram::bind(&path).expect("a socket");
    let limit = Some(std::time::Duration::from_secs(30));
    manager.set_read_timeout(limit).expect("set");
    let hear = || {
        let mut buffer = [0; 64];
        let length = manager.recv(&mut buffer).expect("a message");
        String::from_utf8(buffer[..length].to_vec()).expect("text")
    };
    let mut command = place.0.command(env!("CARGO_BIN_EXE_workshop"), &["daemon"]);
    let mut daemon = command
        .env("NOTIFY_SOCKET", &path)
        .spawn()
        .expect("it starts");
    assert_eq!(hear(), "READY=1");
    let pid = rustix::process::Pid::from_child(&daemon);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("sent");
    assert_eq!(hear(), "STOPPING=1");
    assert!(daemon.wait().expect("it ends").success());
}

/// A daemon that ends with the test.
struct RunningDaemon(std::process::Child);

impl Drop for RunningDaemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_rule_that_is_saved_while_the_daemon_works_binds_the_next_run() {
    let note = json!({ "path": "notes.md", "text": "Tea.\n" });
    let writes = |id: &str| call_events(id, "write_note", &note);
    let place = ScheduleFixture::new(&[writes("c1"), says("One."), writes("c2"), says("Two.")]);
    let added = place.run(&[&MORNING[..], &["--mode=bypass"]].concat());
    assert!(added.contains("bypass"), "{added}");
    let mut command = place
        .0
        .command(env!("CARGO_BIN_EXE_workshop"), &["daemon", "--mode=bypass"]);
    let _daemon = RunningDaemon(command.spawn().expect("it starts"));
    let run_until = |said: &str| {
        let made = place.output(
            env!("CARGO_BIN_EXE_workshop"),
            &["schedule", "run", "morning-tea"],
        );
        let session = String::from_utf8(made.stdout).expect("text");
        wait_for_text(|| {
            let runs = place.run(&["schedule", "runs", "--json"]);
            match runs.contains(said) {
                true => runs,
                false => String::new(),
            }
        });
        place.run(&["sessions", "export", session.trim()])
    };
    let shown = run_until("One.");
    assert!(shown.contains("notes.md has 1 lines"), "{shown}");
    let denied = place.run(&["permissions", "deny", "write_note"]);
    assert!(!denied.starts_with("exit"), "{denied}");
    let shown = run_until("Two.");
    assert!(!shown.contains("notes.md has 1 lines"), "{shown}");
}
