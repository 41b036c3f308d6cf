//! The screens of a chat in which a model makes a schedule, and of a run that waits for a person.

use serde_json::json;

use super::{MORNING, ScheduleFixture, says, wait_for_text};
use crate::terminal::pty::{PtyFixture, call_events};
use crate::toolbox::TOOLBOX;

#[test]
fn a_person_allows_the_schedule_that_a_model_makes_in_a_chat() {
    let schedule = json!({
        "name": "Call Ann",
        "prompt": "Remind the user to call Ann.",
        "when": "2099-12-01T09:00",
        "time_zone": "Asia/Tokyo",
    });
    let create = call_events("c1", "schedule_create", &schedule);
    let place = ScheduleFixture::new(&[create, says("I will.")]);
    let replies = place.0.path("replies.jsonl").display().to_string();
    let arguments = ["chat", "--replay", &replies];
    let mut terminal = place.0.start_program(&TOOLBOX, &arguments);
    terminal.wait_for_prompt();
    terminal.type_line("Remind me to call Ann.");
    let question = terminal.wait_for_question("? Allow schedule_create?");
    let (_, question) = question.split_once("› ").expect("the message");
    insta::assert_snapshot!(question, @"
    Remind me to call Ann.


    ? Allow schedule_create?
        name: Call Ann
        prompt: Remind the user to call Ann.
        when: 2099-12-01T09:00
        time_zone: Asia/Tokyo
      Reason: it changes something (medium risk)
      [y] yes, once  [e] edit the arguments
      [a] always in this session: schedule_create
      [p] always in this project  [u] always in all projects
      [n] no  [never] no, never in this session
      or type what to do instead
      >
    ");
    terminal.type_line("y");
    terminal.wait_for("I will.");
    terminal.type_line("/quit");
    terminal.wait_for_exit();
    let output = place.output(&TOOLBOX, &["schedule", "list"]);
    let list = String::from_utf8(output.stdout).expect("text");
    assert!(
        list.starts_with("call-ann  active  Tue 2099-12-01 09:00 +09:00"),
        "{list}"
    );
}

#[test]
fn the_next_chat_tells_of_a_run_that_waits_and_of_its_answer() {
    let note = json!({ "path": "notes.md", "text": "Tea.\n" });
    let mut place = ScheduleFixture::new(&[call_events("c1", "write_note", &note)]);
    place.run(&MORNING);
    place.run(&["schedule", "run", "morning-tea"]);
    place.run(&["daemon", "--once"]);
    let id = place.json(&["schedule", "runs"])[0]["session"].clone();
    let id = id.as_str().expect("a session");
    let named = |screen: &str| screen.replace(id, "SESSION");
    // No line is broken where the id stands.
    let chat = |place: &ScheduleFixture| {
        let mut terminal = place.0.start_workshop_in(&["chat"], &[], (40, 160));
        let screen = terminal.wait_for_prompt();
        terminal.type_line("/quit");
        terminal.wait_for_exit();
        screen
    };
    insta::assert_snapshot!(named(&chat(&place)), @"
    assistant 0.1.0 · /help lists commands
    scheduled run morning-tea waits: call t1/1.0 of `write_note` needs approval: it changes `notes.md`
      workshop sessions show SESSION
    default ›
    ");
    let show = place
        .0
        .start_workshop_in(&["sessions", "show", id], &[], (60, 160));
    let (screen, _) = show.wait_for_exit();
    let (_, waits) = screen.rsplit_once("\n\n").expect("what waits");
    insta::assert_snapshot!(named(waits), @r#"
    t1/1.0  write_note {"path":"notes.md","text":"Tea.\n"}
      needs approval: it changes `notes.md`; --always: write_note
      workshop sessions answer SESSION t1/1.0 allow (or reject)
    "#);
    let answer = ["sessions", "answer", id, "t1/1.0", "allow"];
    let (screen, code) = place
        .0
        .start_workshop_in(&answer, &[], (40, 160))
        .wait_for_exit();
    insta::assert_snapshot!(format!("{}\nexit {code}", named(&screen)), @"
    allowed t1/1.0 of SESSION
    exit 0
    ");
    place.0 =
        std::mem::replace(&mut place.0, PtyFixture::new()).with_recording(&[says("It is noted.")]);
    wait_for_text(|| place.run(&["daemon", "--once"]));
    insta::assert_snapshot!(named(&chat(&place)), @"
    assistant 0.1.0 · /help lists commands
    scheduled run morning-tea: It is noted.
    default ›
    ");
}
