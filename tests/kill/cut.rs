//! The journal of a real session, cut anywhere: it loads, and the session goes on to its end.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use helve::agent::Conversation;
use helve::agent::session::{About, FolderStore, History, Sessions};

use crate::program::{agent, context, go_on, session};
use crate::trap::Trap;
use crate::verify;

const SEED: u64 = 7;

fn sessions(folder: &Path) -> Sessions {
    Sessions::new(FolderStore::new(folder.join("sessions")))
}

/// Writes the journal of a session that was not disturbed.
async fn journal() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let trap = Arc::new(Trap::new(None));
    let about = About::new("cut").session(session());
    let mut conversation = Conversation::new(sessions(folder.path()).create(about).await.unwrap());
    let context = context(folder.path(), &trap);
    go_on(&agent(SEED, &trap), &mut conversation, &context)
        .await
        .unwrap();
    fs::read(folder.path().join("sessions/killed.jsonl")).unwrap()
}

#[tokio::test]
async fn a_journal_cut_at_any_byte_loads_to_its_last_whole_entry() {
    let journal = journal().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions/killed.jsonl");
    fs::create_dir(file.parent().unwrap()).unwrap();
    let mut whole = History::new();
    let mut entries = 0;
    // The first turns: every byte, for every kind of entry is among them. A cut in a later line is a cut in one of these.
    let bytes = journal.len().min(24_000);
    for cut in 0..=bytes {
        fs::write(&file, &journal[..cut]).unwrap();
        let loaded = sessions(folder.path()).load(&session()).await;
        let loaded = loaded.unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
        let before = journal[..cut].iter().filter(|byte| **byte == b'\n').count() as u64;
        // The last line may lack nothing but its line feed.
        let is_whole = journal.get(cut) == Some(&b'\n') && cut > 0;
        let expected = (before + u64::from(is_whole)).saturating_sub(1);
        assert_eq!(loaded.history.standing.seq, expected, "cut at {cut}");
        if expected > entries {
            entries = expected;
            whole = loaded.history;
        } else {
            assert_eq!(loaded.history, whole, "cut at {cut}");
        }
    }
    println!("{bytes} cuts, {entries} entries");
}

#[tokio::test]
async fn a_session_whose_journal_was_cut_goes_on_to_its_end() {
    let journal = journal().await;
    let ends = journal
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n');
    let mut cuts = 0;
    for (end, _) in ends.step_by(9) {
        // Into the next line, so that there is something to repair.
        let cut = (end + 1 + end % 40).min(journal.len());
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sessions")).unwrap();
        fs::write(folder.path().join("sessions/killed.jsonl"), &journal[..cut]).unwrap();
        let loaded = sessions(folder.path()).load(&session()).await.unwrap();
        let mut conversation = Conversation::from(loaded);
        let trap = Arc::new(Trap::new(None));
        let context = context(folder.path(), &trap);
        let went_on = go_on(&agent(SEED, &trap), &mut conversation, &context).await;
        went_on.unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
        drop(conversation);
        let history = sessions(folder.path()).read(&session()).await.unwrap();
        verify::conversation_is_whole(&history, SEED);
        cuts += 1;
    }
    println!("{cuts} sessions went on");
}
