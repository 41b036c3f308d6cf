//! The events of a session with entries of every kind.

use helve_runtime::agent::AgentEvent;
use helve_runtime::agent::session::{Entry, SessionProjection};
use helve_runtime::transcript::journal::{Line, Timestamp};

use crate::sessions::script;

fn project(entries: Vec<Entry>) -> Vec<AgentEvent> {
    let mut projection = SessionProjection::new();
    let lines = (1..).zip(entries).map(|(seq, entry)| {
        let at = Timestamp::from_millis(0);
        Line { seq, at, entry }
    });
    lines.flat_map(|line| projection.apply(&line)).collect()
}

#[test]
fn each_entry_has_its_events() {
    let lines = project(script::everything()).into_iter().map(|event| {
        let json = serde_json::to_value(&event).unwrap();
        let seq = event.seq.map_or(String::new(), |seq| format!(" {seq}"));
        let key = event.key.map_or(String::new(), |key| format!(" {key}"));
        format!(
            "{} {}{key}{seq}\n",
            event.origin.turn,
            json["type"].as_str().unwrap()
        )
    });
    insta::assert_snapshot!(lines.collect::<String>(), @r"
    t1 turn_started
    t1 user_message 1
    t1 reply
    t1 tool_call t1/1.0
    t1 tool_call t1/1.1
    t1 tool_call t1/1.2
    t1 tool_call t1/1.3 6
    t1 asked t1/1.0 11
    t1 submitted t1/1.1 12
    t1/1.3 turn_started
    t1/1.3 user_message 14
    t1/1.3 reply 16
    t1/1.3 end 17
    t1 tool_result t1/1.2 19
    t1 tool_result t1/1.3 21
    t1 approval_decided t1/1.0 22
    t1 tool_result t1/1.0 24
    t1 tool_result t1/1.1 25
    t1 end 30
    ");
}

#[test]
fn any_beginning_of_a_session_has_the_beginning_of_its_events() {
    let whole = project(script::everything());
    for length in 0..=script::everything().len() {
        let mut entries = script::everything();
        entries.truncate(length);
        let events = project(entries);
        assert!(whole.starts_with(&events), "{length} entries");
    }
}
