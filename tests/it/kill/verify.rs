//! What must hold when a session is done, however often its program died.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use helve::agent::session::{Entry, FolderStore, History, Sessions};
use helve::agent::turn::Outcome;
use helve::transcript::{CallAddress, ContentBlock, Message};

use crate::kill::program::{session, witness};
use crate::kill::script::{Script, TURNS};
use crate::kill::tools::may_run_again;

/// What the journal says of a call.
#[derive(Debug)]
struct JournalledCall {
    tool: String,
    outcome: Outcome,
}

/// What became of the calls of a session.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) calls: usize,
    pub(crate) interrupted: usize,
    pub(crate) again: usize,
}

/// Checks a session that is done.
pub(crate) fn assert_session_complete(folder: &Path, seed: u64) -> Counts {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("a runtime");
    let (history, calls) = runtime.block_on(read(folder));
    assert_conversation_complete(&history, seed);
    let marks = fs::read_to_string(witness(folder)).unwrap_or_default();
    count_runs(&calls, &marks)
}

/// Checks that a conversation is what the script makes of it, in order, but for what results say.
pub(crate) fn assert_conversation_complete(history: &History, seed: u64) {
    assert!(
        history.session_state.open_turns.is_empty(),
        "no turn is open"
    );
    assert_eq!(history.session_state.turns, TURNS);
    assert_one_result_per_call(&history.messages);
    let script = Script {
        seed,
        is_helper: false,
    };
    let said: Vec<&Message> = history
        .messages
        .iter()
        .filter(|message| !matches!(message, Message::Tool { .. } | Message::Note(_)))
        .collect();
    let expected: Vec<Message> = (1..=TURNS)
        .flat_map(|turn| {
            let replies = (1..=script.rounds(turn) + 1).map(move |round| script.reply(turn, round));
            std::iter::once(Script::prompt(turn)).chain(replies.map(Message::Assistant))
        })
        .collect();
    assert_eq!(said, expected.iter().collect::<Vec<_>>());
    let notes = history.messages.windows(2).filter_map(|pair| match pair {
        [Message::User { .. }, Message::Note(note)] => Some(note.id.clone()),
        _ => None,
    });
    let expected = (1..=TURNS).map(|turn| format!("t{turn}/0/watch"));
    assert!(notes.eq(expected), "each prompt has its note once");
}

/// Checks that the message after each reply has one result for each of its calls, in their order, and that there are no
/// others.
pub(crate) fn assert_one_result_per_call(messages: &[Message]) {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        let results: Vec<&str> = match message {
            Message::Tool { content } => content.iter().map(|result| &*result.call_id).collect(),
            _ => Vec::new(),
        };
        assert_eq!(open, results, "the results before {message:?}");
        open = match message {
            Message::Assistant(reply) => reply.calls().map(|call| &*call.id).collect(),
            _ => Vec::new(),
        };
    }
    assert!(open.is_empty(), "calls without results: {open:?}");
}

/// Reads a session, and what its journal says of every call, those of helpers included.
async fn read(folder: &Path) -> (History, BTreeMap<CallAddress, JournalledCall>) {
    let sessions = Sessions::new(FolderStore::new(folder.join("sessions")));
    let mut history = History::new();
    let mut calls: BTreeMap<CallAddress, JournalledCall> = BTreeMap::new();
    let id = session();
    let visit = sessions.visit(&id, u64::MAX, |line| {
        history.apply(line);
        let Entry::Record(recorded) = &line.entry else {
            return;
        };
        let Some(turn) = history.session_state.turn(&recorded.turn) else {
            return;
        };
        for (key, call) in turn.calls() {
            let Some(outcome) = turn.outcome(key) else {
                continue;
            };
            let told = calls
                .entry(turn.address(key))
                .or_insert_with(|| JournalledCall {
                    tool: call.name.to_string(),
                    outcome: outcome.clone(),
                });
            assert_eq!(told.outcome, *outcome, "an outcome that changed");
        }
    });
    visit.await.expect("the journal is sound");
    (history, calls)
}

/// Checks how often each call left its mark.
fn count_runs(calls: &BTreeMap<CallAddress, JournalledCall>, marks: &str) -> Counts {
    let mut left: BTreeMap<CallAddress, usize> = BTreeMap::new();
    for mark in marks.lines() {
        let address = mark.strip_prefix("killed/");
        let address = address.unwrap_or_else(|| panic!("`{mark}` is of no session"));
        *left
            .entry(address.parse().expect("an address"))
            .or_default() += 1;
    }
    let mut counts = Counts::default();
    for (address, told) in calls.iter().filter(|(_, told)| told.tool != "task") {
        let marks = left.remove(address).unwrap_or_default();
        let text: String = told
            .outcome
            .content
            .iter()
            .filter_map(ContentBlock::as_text)
            .collect();
        counts.calls += 1;
        counts.again += usize::from(marks > 1);
        let again = may_run_again(&told.tool);
        if text.starts_with("Interrupted while it ran") {
            counts.interrupted += 1;
            assert!(!again, "{address} could have run again: {told:?}");
            assert!(marks <= 1, "{address} left {marks} marks: {told:?}");
        } else {
            assert_eq!(text, "done", "{address}: {told:?}");
            let is_right = marks == 1 || again && marks > 1;
            assert!(is_right, "{address} left {marks} marks: {told:?}");
        }
    }
    assert!(left.is_empty(), "marks of calls that nobody made: {left:?}");
    counts
}
