//! The journal of a real session, cut anywhere: it loads, and the session goes on to its end.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use helve::agent::Conversation;
use helve::agent::session::{Entry, FORMAT, FolderStore, History, SessionMetadata, Sessions};
use helve::transcript::journal::JournalReader;
use tempfile::TempDir;

use crate::kill::crash_point::CrashInjector;
use crate::kill::program::{agent, context, resume_to_end, session};
use crate::kill::verify;

const SEED: u64 = 7;

fn sessions(folder: &Path) -> Sessions {
    Sessions::new(FolderStore::new(folder.join("sessions")))
}

/// Makes a folder in memory, where there is such a thing: what is tested is not the disk.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

/// Says where the last line of a turn ends.
fn end_of_turn(journal: &[u8], turn: &str) -> usize {
    let text = str::from_utf8(journal).unwrap();
    let ended = format!(r#""type":"turn_ended","agent":"main","turn":"{turn}""#);
    let at = text.find(&ended).unwrap();
    at + text[at..].find('\n').unwrap() + 1
}

/// Counts the entries of a journal that was cut; the last one may lack its line feed.
fn entries_before(journal: &[u8], cut: usize) -> u64 {
    let lines = journal[..cut].iter().filter(|byte| **byte == b'\n');
    let is_whole = journal.get(cut) == Some(&b'\n');
    (lines.count() as u64 + u64::from(is_whole)).saturating_sub(1)
}

/// Writes the journal of a session that was not disturbed.
async fn journal() -> Vec<u8> {
    let folder = folder();
    let trap = Arc::new(CrashInjector::new(None));
    let about = SessionMetadata::new("cut").session(session());
    let mut conversation = Conversation::new(sessions(folder.path()).create(about).await.unwrap());
    let context = context(folder.path(), &trap);
    resume_to_end(&agent(SEED, &trap), &mut conversation, &context)
        .await
        .unwrap();
    fs::read(folder.path().join("sessions/killed.jsonl")).unwrap()
}

#[tokio::test]
async fn a_session_cut_at_any_byte_of_its_first_turns_loads_to_its_last_whole_entry() {
    let journal = journal().await;
    let folder = folder();
    let file = folder.path().join("sessions/killed.jsonl");
    fs::create_dir(file.parent().unwrap()).unwrap();
    let mut whole = History::new();
    let mut entries = 0;
    // Every kind of entry is among them; the whole journal would be read a hundred thousand times.
    let bytes = end_of_turn(&journal, "t2");
    for cut in 0..=bytes {
        fs::write(&file, &journal[..cut]).unwrap();
        let loaded = sessions(folder.path()).load(&session()).await;
        let loaded = loaded.unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
        let expected = entries_before(&journal, cut);
        assert_eq!(loaded.history.session_state.seq, expected, "cut at {cut}");
        if expected > entries {
            entries = expected;
            whole = loaded.history;
        } else {
            assert_eq!(loaded.history, whole, "cut at {cut}");
        }
    }
    println!("loaded at {bytes} cuts, up to {entries} entries");
}

#[tokio::test]
async fn no_byte_of_a_journal_is_taken_for_the_end_of_a_line_that_it_is_not() {
    let journal = journal().await;
    let folder = folder();
    let path = folder.path().join("cut.jsonl");
    let start = journal.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    fs::write(&path, &journal[..start]).unwrap();
    let mut reader = JournalReader::open(&path, FORMAT).unwrap();
    assert!(reader.next_entry::<Entry>().unwrap().is_none());
    let mut position = reader.position();
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    for cut in start + 1..=journal.len() {
        file.write_all(&journal[cut - 1..cut]).unwrap();
        let mut reader = JournalReader::open_at(&path, FORMAT, position).unwrap();
        let line = reader.next_entry::<Entry>();
        let line = line.unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
        let read = line.map_or(position.seq, |line| line.seq);
        let is_whole = journal[cut - 1] == b'\n' || journal.get(cut) == Some(&b'\n');
        assert_eq!(read, position.seq + u64::from(is_whole), "cut at {cut}");
        if journal[cut - 1] == b'\n' {
            position = reader.position();
        }
    }
    println!("read at {} cuts, {} entries", journal.len(), position.seq);
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
        let folder = folder();
        fs::create_dir(folder.path().join("sessions")).unwrap();
        fs::write(folder.path().join("sessions/killed.jsonl"), &journal[..cut]).unwrap();
        let loaded = sessions(folder.path()).load(&session()).await.unwrap();
        let mut conversation = Conversation::from(loaded);
        let trap = Arc::new(CrashInjector::new(None));
        let context = context(folder.path(), &trap);
        let went_on = resume_to_end(&agent(SEED, &trap), &mut conversation, &context).await;
        went_on.unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
        drop(conversation);
        let history = sessions(folder.path()).read(&session()).await.unwrap();
        verify::assert_conversation_complete(&history, SEED);
        cuts += 1;
    }
    println!("{cuts} sessions went on");
}
