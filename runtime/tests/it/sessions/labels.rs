//! Labels on disk: recorded with what they are about, and read off the text in journals that have none.

use helve_runtime::agent::session::{Entry, FORMAT};
use helve_runtime::agent::turn::{Bounds, Outcome, Plan, Record};
use helve_runtime::model::StopReason;
use helve_runtime::permission::{Grade, Label, Source, Verdict};
use helve_runtime::transcript::journal::{Durability, Format, JournalFile, Timestamp};
use helve_runtime::transcript::{CallKey, Content, Message};

use crate::sessions::{fold, script};

/// A turn with one call for each of these outcomes.
fn turn(outcomes: Vec<Outcome>) -> Vec<Entry> {
    let origin = script::origin();
    let names = (0..outcomes.len()).map(|at| script::calls(&format!("t{at}"), "{}"));
    let mut records = vec![
        script::started(1),
        script::reply(1, names.collect(), StopReason::ToolUse),
    ];
    let keys = (0..).map(|index| CallKey::new(1, index));
    for (call, outcome) in keys.zip(outcomes) {
        let plan = Plan::new(Verdict::Allow);
        records.push(Record::Planned { call, plan });
        records.push(Record::Started { calls: vec![call] });
        records.push(Record::Finished { call, outcome });
    }
    let begun = Entry::turn_started(&origin, Bounds::new(9), vec![Message::user("go")]);
    let records = records
        .into_iter()
        .map(|record| Entry::record(&origin, record));
    std::iter::once(begun).chain(records).collect()
}

/// Writes a journal of a version, and returns its bytes.
fn journal(version: u32, entries: &[Entry]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let format = Format { version, ..FORMAT };
    let mut file = JournalFile::create(&path, format).unwrap();
    let lines = entries
        .iter()
        .map(|entry| (Timestamp::from_millis(0), entry));
    file.append(lines, Durability::Buffered).unwrap();
    std::fs::read(&path).unwrap()
}

#[test]
fn a_journal_of_format_1_is_labelled_by_its_enclosures() {
    let enclosed = |source: &str, tool: &str| {
        Outcome::ok(Content::text(format!(
            "<untrusted source=\"{source}\" tool=\"{tool}\">\nx\n</untrusted>"
        )))
    };
    let conversation_label = |outcomes: Vec<Outcome>| {
        let (history, _) = fold(&journal(1, &turn(outcomes))).unwrap();
        history.session_state.label
    };
    let plain = || Outcome::ok(Content::text("x"));
    assert_eq!(conversation_label(vec![plain()]), Label::workspace());
    // Its own commands were enclosed like pages; they are work.
    assert_eq!(
        conversation_label(vec![enclosed("unknown", "bash"), plain()]),
        Label::workspace()
    );
    let server = conversation_label(vec![
        enclosed("MCP server fs, a.txt", "mcp__fs__read"),
        plain(),
    ]);
    assert_eq!(server.grade(), Grade::McpServer);
    assert!(!server.is_untrusted_outside("fs"));
    let page = conversation_label(vec![plain(), enclosed("https://e.org", "fetch")]);
    assert_eq!(page.origin().as_deref(), Some("`fetch` (https://e.org)"));
}

#[test]
fn what_a_summary_of_format_1_kept_counts() {
    let kept = serde_json::json!({ "taint": { "tool": "fetch", "source": "https://e.org" } });
    let kept: helve_runtime::agent::RetainedFacts = serde_json::from_value(kept).unwrap();
    assert_eq!(kept.label().grade(), Grade::Web);
}

#[test]
fn a_label_is_written_with_its_outcome_where_the_text_does_not_tell_it() {
    let page = Label::from(Source::web("fetch", "https://e.org"));
    let outcomes = vec![
        Outcome::ok(Content::text("of a page")).with_label(page.clone()),
        Outcome::ok(Content::text("of a file")).with_label(Label::workspace()),
    ];
    let bytes = journal(FORMAT.version, &turn(outcomes));
    let written = String::from_utf8(bytes.clone()).unwrap();
    assert!(
        written.starts_with(r#"{"format":"helve.session","version":2,"#),
        "{written}"
    );
    assert_eq!(written.matches("\"label\"").count(), 1, "{written}");
    let (history, _) = fold(&bytes).unwrap();
    assert_eq!(
        history.session_state.label,
        page.joined(&Label::workspace())
    );
}
