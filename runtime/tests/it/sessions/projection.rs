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
    insta::assert_snapshot!(lines.collect::<String>(), @"");
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
