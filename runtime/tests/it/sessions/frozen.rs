//! Journals of released formats: they are read for ever, and fold to the same bytes.
//!
//! `tests/journals/v1` has journals of format 1, with what each one folds to beside it. Neither is ever written again.
//! `HELVE_FREEZE=1` writes what a new journal folds to, where nothing is beside it yet.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use helve_runtime::agent::session::{Entry, FORMAT, History, SessionProjection};
use helve_runtime::transcript::journal::JournalReader;

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

/// Describes everything that a program sees of a journal: the conversation, the state, what may be done next, and the
/// events.
fn describe(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    let mut reader = JournalReader::new(&bytes[..], path, FORMAT).unwrap();
    let (mut history, mut projection) = (History::new(), SessionProjection::new());
    let mut events = String::new();
    while let Some(line) = reader.next_entry::<Entry>().unwrap() {
        history.apply(&line);
        for event in projection.apply(&line) {
            writeln!(events, "event {}", json(&event)).unwrap();
        }
    }
    assert!(reader.pending_repair().is_none(), "{}", path.display());
    let mut text = String::new();
    for message in &history.messages {
        writeln!(text, "message {}", json(message)).unwrap();
    }
    let state = &history.session_state;
    writeln!(text, "metadata {}", json(&state.metadata)).unwrap();
    writeln!(text, "title {}", json(&state.title)).unwrap();
    writeln!(text, "turns {} of {} entries", state.turns, state.seq).unwrap();
    writeln!(text, "rules {} {}", json(&state.allow), json(&state.deny)).unwrap();
    writeln!(text, "label {}", json(&state.label)).unwrap();
    writeln!(text, "artifacts {}", json(&history.artifacts)).unwrap();
    for turn in &state.open_turns {
        let origin = turn.origin();
        writeln!(text, "open {}", json(origin)).unwrap();
        writeln!(text, "  totals {}", json(turn.totals())).unwrap();
        writeln!(text, "  label {}", json(turn.label())).unwrap();
        for step in turn.next() {
            writeln!(text, "  next {}", json(&step)).unwrap();
        }
        for message in history.conversation(&origin.turn) {
            writeln!(text, "  message {}", json(message)).unwrap();
        }
    }
    text + &events
}

fn journals(version: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/journals")
        .join(version);
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let is_journal = |path: &PathBuf| path.extension().is_some_and(|of| of == "jsonl");
    let mut journals: Vec<PathBuf> = files.filter(is_journal).collect();
    journals.sort();
    journals
}

#[test]
fn journals_of_format_1_fold_to_the_same_bytes() {
    let journals = journals("v1");
    assert_eq!(journals.len(), 6);
    for path in journals {
        let (found, beside) = (describe(&path), path.with_extension("folded"));
        if !beside.exists() && std::env::var_os("HELVE_FREEZE").is_some() {
            std::fs::write(&beside, &found).unwrap();
        }
        let expected = std::fs::read_to_string(&beside).unwrap();
        assert_eq!(found, expected, "{}", path.display());
    }
}
