//! Hand-offs between agents of files, in a chat.

use serde_json::json;

use crate::terminal::chatting::folder_contains;
use crate::terminal::pty::{PtyFixture, call_events, stop_events, text_events};

fn write(place: &PtyFixture, name: &str, front_matter: &str) {
    let text = format!(
        "---\nname: {name}\ndescription: For {name}.\n{front_matter}---\nYou are {name}.\n"
    );
    place.write(&format!("home/.claude/agents/{name}.md"), &text);
}

#[test]
fn the_next_prompts_go_to_the_agent_that_took_over() {
    let call = json!({ "to": "billing", "brief": "The invoice is wrong." });
    let replies = ["Corrected.", "You are welcome.", "Still here."];
    let replies = replies.map(|text| [text_events(text), stop_events()].concat());
    let all = std::iter::once(call_events("c1", "hand_off", &call)).chain(replies);
    let place = PtyFixture::new().with_recording(&all.collect::<Vec<_>>());
    write(&place, "desk", "hand_offs: [billing]\n");
    write(
        &place,
        "billing",
        "hand_offs: [desk]\nhand_off_view: whole\n",
    );
    let mut terminal = place.start_workshop_in(&["chat", "--agent", "desk"], &[], (60, 100));
    terminal.wait_for_prompt();
    terminal.type_line("My invoice is wrong.");
    terminal.wait_for("— handed off to another agent");
    terminal.wait_for("Corrected.");
    terminal.wait_for_prompt();
    terminal.type_line("Thanks.");
    terminal.wait_for("You are welcome.");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    let state = place.path("state");
    for text in [
        r#""agent":"desk","turn":"t1""#,
        r#""reason":"handed_off""#,
        r#""agent":"billing","turn":"t2""#,
        r#""agent":"billing","turn":"t3""#,
    ] {
        assert!(folder_contains(&state, text), "{text}");
    }
}
