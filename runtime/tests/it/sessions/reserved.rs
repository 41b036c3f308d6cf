//! Names that are reserved in the journal: what a program does that does not know them yet.

use helve_runtime::agent::session::{Entry, FORMAT};
use helve_runtime::agent::turn::{Bounds, EndReason, Outcome, Plan, Record, Totals};
use helve_runtime::model::StopReason;
use helve_runtime::permission::Verdict;
use helve_runtime::transcript::journal::{Durability, JournalError, JournalFile, Timestamp};
use helve_runtime::transcript::{CallKey, Content, Message};
use serde_json::{Value, json};

use crate::sessions::{fold, script};

/// A turn of one call.
fn turn() -> Vec<Value> {
    let origin = script::origin();
    let call = CallKey::new(1, 0);
    let records = [
        script::started(1),
        script::reply(1, vec![script::calls("t", "{}")], StopReason::ToolUse),
        Record::Planned {
            call,
            plan: Plan::new(Verdict::Allow),
        },
        Record::Started { calls: vec![call] },
        Record::Finished {
            call,
            outcome: Outcome::ok(Content::text("x")),
        },
    ];
    let begun = Entry::turn_started(&origin, Bounds::new(9), vec![Message::user("go")]);
    let records = records.map(|record| Entry::record(&origin, record));
    let ended = Entry::turn_ended(&origin, EndReason::Interrupted, None, Totals::default());
    let entries = std::iter::once(begun).chain(records).chain([ended]);
    entries
        .map(|entry| serde_json::to_value(entry).unwrap())
        .collect()
}

const BEGUN: usize = 0;
const PLANNED: usize = 3;
const FINISHED: usize = 5;
const ENDED: usize = 6;

/// Writes a journal, as a program would that knows more than this one.
fn journal(entries: &[Value]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let mut file = JournalFile::create(&path, FORMAT).unwrap();
    let lines = entries
        .iter()
        .map(|entry| (Timestamp::from_millis(0), entry));
    file.append(lines, Durability::Buffered).unwrap();
    std::fs::read(&path).unwrap()
}

/// Puts a value at a place of an entry of the turn.
fn with(entry: usize, place: &str, value: Value) -> Vec<Value> {
    let mut entries = turn();
    let there = &mut entries[entry];
    if there.pointer(place).is_some() {
        *there.pointer_mut(place).unwrap() = value;
    } else {
        let (parent, name) = place.rsplit_once('/').unwrap();
        there.pointer_mut(parent).unwrap()[name] = value;
    }
    entries
}

/// A turn with another entry behind its beginning.
fn beside(entry: Value) -> Vec<Value> {
    let mut entries = turn();
    entries.insert(1, entry);
    entries
}

fn record(name: &str) -> Value {
    let mut entry = turn().swap_remove(PLANNED);
    entry["record"] = json!({ "type": name });
    entry
}

#[test]
fn what_changes_what_happens_next_is_refused_as_that_of_a_newer_program() {
    let entries = [
        "flow_started",
        "flow",
        "flow_ended",
        "active",
        "mode",
        "job",
        "delivered",
    ];
    let mut journals: Vec<(String, Vec<Value>)> = Vec::new();
    for name in entries {
        journals.push((format!("entry {name}"), beside(json!({ "type": name }))));
    }
    for name in ["flow", "job"] {
        let execution = with(PLANNED, "/record/plan/execution", json!({ "type": name }));
        journals.push((format!("execution {name}"), execution));
    }
    let depth = with(ENDED, "/reason", json!("depth"));
    journals.push(("end depth".into(), depth));
    for name in ["node", "aside"] {
        let begun = with(BEGUN, &format!("/{name}"), json!(true));
        journals.push((format!("turn {name}"), begun));
    }
    let note = json!({ "role": "note", "source": "flow", "id": "f1", "text": "Go on." });
    journals.push(("message note".into(), with(BEGUN, "/prompt/0", note)));
    for (name, entries) in journals {
        let read = fold(&journal(&entries));
        assert!(
            matches!(read, Err(JournalError::UnknownContent { .. })),
            "{name}: {:?}",
            read.map(|(history, _)| history.session_state.seq)
        );
    }
    let error = fold(&journal(&beside(record("doubted")))).unwrap_err();
    let error = error.to_string();
    assert!(
        error.ends_with("it was written by a newer version; use that version"),
        "{error}"
    );
}

#[test]
fn what_only_says_more_is_read_past() {
    let (plain, _) = fold(&journal(&turn())).unwrap();
    assert_eq!(plain.session_state.seq, 7);
    for (entry, place) in [
        (BEGUN, "/spec"),
        (FINISHED, "/record/outcome/child"),
        (ENDED, "/to"),
    ] {
        let (read, _) = fold(&journal(&with(entry, place, json!({ "name": "x" })))).unwrap();
        assert_eq!(read, plain, "{place}");
    }
}
