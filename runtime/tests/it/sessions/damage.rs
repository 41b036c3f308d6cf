//! A journal that is cut or changed, at every byte.
//!
//! Where it is also written to afterwards, `HELVE_SOAK=1` cuts at every byte instead of some.

use helve_runtime::agent::session::{Entry, SessionError};
use helve_runtime::transcript::journal::JournalError;

use crate::sessions::{SessionFolder, fold, fold_of, script};

/// The journal of a session with everything in it, where its lines end, and what was folded after each.
async fn journal() -> (Vec<u8>, Vec<usize>) {
    let place = SessionFolder::new();
    let id = place.write_session("s", script::everything()).await;
    let bytes = place.bytes(&id);
    let ends = (1..=bytes.len())
        .filter(|end| bytes[end - 1] == b'\n')
        .collect();
    (bytes, ends)
}

#[tokio::test]
async fn cut_at_any_byte_it_folds_to_the_last_whole_entry() {
    let (bytes, ends) = journal().await;
    let mut whole = Vec::new();
    for cut in 0..=bytes.len() {
        // A whole line counts even without its line feed.
        let lines = ends.iter().filter(|end| **end - 1 <= cut).count();
        let kept = ends[..lines].last().copied().unwrap_or_default();
        let (history, torn) = fold(&bytes[..cut]).unwrap();
        if whole.len() <= lines {
            whole.push(fold(&bytes[..kept]).unwrap().0);
        }
        assert_eq!(history, whole[lines], "cut at {cut}");
        assert_eq!(
            history.session_state.seq,
            (lines as u64).saturating_sub(1),
            "cut at {cut}"
        );
        assert_eq!(
            torn.map_or(0, |torn| torn.removed),
            cut.saturating_sub(kept) as u64,
            "cut at {cut}"
        );
    }
    println!("{} cuts, {} lines", bytes.len() + 1, ends.len());
}

#[tokio::test]
async fn cut_at_any_byte_it_can_be_loaded_and_written_to() {
    let (bytes, ends) = journal().await;
    let place = SessionFolder::new();
    let id = place.write_session("s", Vec::new()).await;
    let file = place.store.file(&id).unwrap();
    let step = if std::env::var_os("HELVE_SOAK").is_some() {
        1
    } else {
        7
    };
    let is_near_an_end = |cut: usize| ends.iter().any(|end| end.abs_diff(cut) <= 2);
    for cut in (0..=bytes.len()).filter(|cut| cut % step == 0 || is_near_an_end(*cut)) {
        std::fs::write(&file, &bytes[..cut]).unwrap();
        let loaded = place.sessions.load(&id).await.unwrap();
        let lines = ends.iter().filter(|end| **end - 1 <= cut).count();
        let seq = (lines as u64).saturating_sub(1);
        assert_eq!(loaded.history.session_state.seq, seq, "cut at {cut}");
        let is_torn = cut > 0 && !ends.contains(&cut) && !ends.contains(&(cut + 1));
        assert_eq!(loaded.repair.is_some(), is_torn, "cut at {cut}");
        let mut session = loaded.session;
        let state = Entry::State {
            name: "x".into(),
            value: cut.into(),
        };
        let written = session.append(
            state,
            helve_runtime::transcript::journal::Durability::Buffered,
        );
        written.await.unwrap();
        drop(session);
        let read = place.sessions.read(&id).await.unwrap();
        assert_eq!(read.session_state.seq, seq + 1, "cut at {cut}");
        assert_eq!(read.state::<usize>("x").unwrap(), Some(cut));
    }
}

#[tokio::test]
async fn a_change_of_any_byte_is_noticed() {
    let (bytes, ends) = journal().await;
    let mut damaged = bytes.clone();
    for index in 0..bytes.len() {
        let line = ends.iter().filter(|end| **end <= index).count() as u64 + 1;
        // That every other value is noticed as well is a matter of one line, and tested there.
        for value in [bytes[index] ^ 1, bytes[index] ^ 0x20, b'\n'] {
            if value == bytes[index] {
                continue;
            }
            damaged[index] = value;
            let error = fold(&damaged).map(drop).unwrap_err();
            match error {
                JournalError::WrongFormat { .. } => assert_eq!(line, 1),
                JournalError::Damaged { line: found, .. } => assert_eq!(found, line),
                other => panic!("byte {index} of line {line}: {other}"),
            }
        }
        damaged[index] = bytes[index];
    }
}

#[tokio::test]
async fn a_line_that_is_gone_doubled_or_moved_is_noticed() {
    let (bytes, _) = journal().await;
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    for index in 1..lines.len() - 1 {
        let (mut gone, mut doubled, mut moved) = (lines.clone(), lines.clone(), lines.clone());
        gone.remove(index);
        doubled.insert(index, lines[index]);
        moved.swap(index, index + 1);
        for (changed, at) in [(gone, index), (doubled, index + 1), (moved, index)] {
            let error = fold(&changed.concat()).map(drop).unwrap_err();
            let expected = at as u64 + 1;
            assert!(
                matches!(error, JournalError::OutOfOrder { line, .. } if line == expected),
                "line {expected}: {error}"
            );
        }
    }
}

#[tokio::test]
async fn damage_in_the_middle_names_the_line_and_what_to_do_and_a_fork_saves_the_rest() {
    let place = SessionFolder::new();
    let id = place.write_session("s", script::everything()).await;
    let file = place.store.file(&id).unwrap();
    let mut bytes = place.bytes(&id);
    let line_9 = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .take(8)
        .map(<[u8]>::len)
        .sum::<usize>();
    bytes[line_9 + 70] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    let error = place.sessions.load(&id).await.unwrap_err();
    let SessionError::Damaged { source, .. } = &error else {
        panic!("{error}");
    };
    insta::assert_snapshot!(
        error.to_string(),
        @"session `s` is damaged after entry 7: `sessions fork s --at 7` goes on from there in a copy; or put back a backup of its journal"
    );
    insta::assert_snapshot!(
        source.to_string().replace(&file.display().to_string(), "FILE"),
        @"`FILE`: line 9 is corrupt (its checksum does not match); the entries before it are intact"
    );
    assert_eq!(std::fs::read(&file).unwrap(), bytes, "nothing was repaired");
    let copy = place.sessions.fork(&id, Some(7)).await.unwrap();
    assert_eq!(copy.state().seq, 7);
    assert!(place.sessions.fork(&id, Some(8)).await.is_err());
    assert!(place.sessions.fork(&id, None).await.is_err());
}

#[tokio::test]
async fn an_entry_that_is_not_understood_stops_the_session_and_names_the_line() {
    let place = SessionFolder::new();
    let id = place.write_session("s", Vec::new()).await;
    let file = place.store.file(&id).unwrap();
    {
        let (mut journal, _) = helve_runtime::transcript::journal::JournalFile::open::<
            serde_json::Value,
        >(&file, helve_runtime::agent::session::FORMAT, |_| ())
        .unwrap();
        let entry = serde_json::json!({ "type": "telepathy", "thought": "?" });
        let at = helve_runtime::transcript::journal::Timestamp::from_millis(0);
        let durability = helve_runtime::transcript::journal::Durability::Buffered;
        journal.append([(at, &entry)], durability).unwrap();
    }
    let before = std::fs::read(&file).unwrap();
    let error = place.sessions.load(&id).await.unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    let source = source.replace(&file.display().to_string(), "FILE");
    assert!(
        source.starts_with(
            "`FILE`: line 3 cannot be read by this version (unknown variant `telepathy`"
        ),
        "{source}"
    );
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[tokio::test]
async fn what_is_folded_from_the_file_is_what_was_written() {
    let place = SessionFolder::new();
    let mut session = place
        .sessions
        .create(helve_runtime::agent::session::SessionMetadata::new("test").session("s"))
        .await
        .unwrap();
    for entry in script::everything() {
        session
            .append(
                entry,
                helve_runtime::transcript::journal::Durability::Buffered,
            )
            .await
            .unwrap();
    }
    let standing = session.state().clone();
    drop(session);
    let loaded = place.sessions.load(&"s".into()).await.unwrap();
    assert_eq!(loaded.history.session_state, standing);
    assert_eq!(loaded.session.state(), &standing);
    let bytes = place.bytes(&"s".into());
    let mut reader = helve_runtime::transcript::journal::JournalReader::new(
        &bytes[..],
        "s".as_ref(),
        helve_runtime::agent::session::FORMAT,
    )
    .unwrap();
    let mut entries = Vec::new();
    while let Some(line) = reader.next_entry::<Entry>().unwrap() {
        entries.push((line.at, line.entry));
    }
    assert_eq!(
        entries
            .iter()
            .skip(1)
            .map(|(_, entry)| entry.clone())
            .collect::<Vec<_>>(),
        script::everything()
    );
    assert_eq!(fold_of(&entries), loaded.history);
}
