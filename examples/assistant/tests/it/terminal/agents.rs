//! Agents in a chat: their list, and tasks that the user gives to one of them.

use serde_json::json;

use crate::terminal::chatting::folder_contains;
use crate::terminal::pty::{PtyFixture, call_events, stop_events, text_events};

#[test]
fn agents_are_listed_and_given_tasks() {
    let replies = ["It works.", "Plain."].map(|text| [text_events(text), stop_events()].concat());
    let place = PtyFixture::new().with_recording(&replies);
    place.write("home/.claude/agents/tester.md",
        "---\nname: tester\ndescription: Runs the tests.\ntools: Read\n---\nYou test, and say what fails.\n",
    );
    place.write(
        "project/.claude/agents/coder.md",
        "---\nname: coder\ndescription: Codes.\n---\nYou code.\n",
    );
    let mut terminal = place.start_workshop_in(&["chat"], &[], (60, 100));
    terminal.wait_for_prompt();
    terminal.type_line("/agents");
    terminal.wait_for("give a task to an agent with @NAME TASK");
    let screen = terminal.wait_for_prompt();
    assert!(
        screen.contains("tester  Runs the tests. (user)"),
        "{screen}"
    );
    assert!(
        screen.contains("held: you have not accepted it"),
        "{screen}"
    );
    terminal.type_line("@coder Write it");
    terminal.wait_for("the agent `coder` is not used: held");
    terminal.wait_for_prompt();
    terminal.type_line("@tester");
    terminal.wait_for("write the task after @tester");
    terminal.wait_for_prompt();
    terminal.type_line("@tester Try it");
    terminal.wait_for("It works.");
    terminal.wait_for_prompt();
    terminal.type_line("@nobody is a path");
    terminal.wait_for("Plain.");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    let state = place.path("state");
    for text in [
        "\"agent\":\"tester\"",
        "Try it",
        "\"agent\":\"main\"",
        "@nobody is a path",
    ] {
        assert!(folder_contains(&state, text), "{text}");
    }
}

#[test]
fn two_agents_at_work_ask_one_question_each() {
    let task = |agent: &str| json!({ "agent": agent, "prompt": "Write it down.", "label": agent });
    let mut tasks = text_events("Both begin.");
    let both = [("c1", "left"), ("c2", "right")];
    let calls = both.map(|(call, agent)| call_events(call, "task", &task(agent)));
    // A reply stops once.
    tasks.extend(
        calls
            .iter()
            .flat_map(|call| &call[..call.len() - 1])
            .cloned(),
    );
    tasks.push(calls[0][calls[0].len() - 1].clone());
    let note = json!({ "path": "notes.md", "text": "Buy bread.\n" });
    let asks = || call_events("c1", "write_note", &note);
    let says = |text: &str| [text_events(text), stop_events()].concat();
    let replies = [
        tasks,
        asks(),
        asks(),
        says("Written."),
        says("Written."),
        says("All done."),
    ];
    let place = PtyFixture::new().with_recording(&replies);
    for (_, agent) in both {
        place.write(
            &format!("home/.claude/agents/{agent}.md"),
            &format!(
                "---\nname: {agent}\ndescription: Writes.\ntools: write_note\n---\nYou write.\n"
            ),
        );
    }
    let mut terminal = place.start_workshop_in(&["chat"], &[], (60, 100));
    terminal.wait_for_prompt();
    terminal.type_line("Let both write");
    let asked_by = |screen: &str, count: usize| {
        let questions: Vec<&str> = screen
            .lines()
            .filter(|line| line.contains("? Allow"))
            .collect();
        let chains = both.map(|(_, agent)| screen.matches(&format!("{agent} (t1/1.")).count());
        (questions.len() == count).then_some(chains)
    };
    let screen = terminal.wait_for_question("? Allow write_note");
    let first = asked_by(&screen, 1).expect("one question");
    terminal.type_line("y");
    let screen = terminal.wait_until("the question of the other agent", |screen| {
        asked_by(screen, 2).is_some() && screen.ends_with("\n  >")
    });
    assert_ne!(asked_by(&screen, 2), Some(first), "{screen}");
    terminal.type_line("n");
    terminal.wait_for("All done.");
    let screen = terminal.wait_for_prompt();
    for (_, agent) in both {
        assert!(screen.contains(&format!("task {agent}")), "{screen}");
    }
    assert_eq!(screen.matches("Written.").count(), 2, "{screen}");
    terminal.press("\u{4}");
    assert_eq!(terminal.wait_for_exit().1, 0);
    for text in ["notes.md has 1 lines", "reject_once"] {
        assert!(folder_contains(&place.path("state"), text), "{text}");
    }
}
