//! Random sessions, cut at random: what is loaded is the fold of the whole entries before the cut.
//!
//! `HELVE_SOAK=20000` runs that many cases instead of a few.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRng, TestRunner};

use helve_runtime::agent::session::{Entry, FORMAT};
use helve_runtime::agent::turn::{Bounds, EndReason, Outcome, Plan, Record, Totals};
use helve_runtime::model::StopReason;
use helve_runtime::permission::{Decision, Label, Rule, Source, Verdict};
use helve_runtime::sandbox::{Access, FolderAccess};
use helve_runtime::transcript::journal::{Durability, JournalFile, Timestamp};
use helve_runtime::transcript::{CallKey, Content, Message, Origin};

use crate::sessions::{fold, fold_of, script};

/// Any entry, whether or not it makes sense where it stands: late and doubled records among them.
fn entry() -> impl Strategy<Value = Entry> {
    let origin = prop_oneof![
        Just(Origin::new("main", "t1")),
        Just(Origin::new("main", "t2")),
        Just(script::delegate()),
    ];
    let text = any::<String>();
    prop_oneof![
        1 => (origin.clone(), text, 1..4_u32).prop_map(|(origin, text, most)| {
            Entry::turn_started(&origin, Bounds::new(most), vec![Message::user(text)])
        }),
        4 => (origin.clone(), record()).prop_map(|(origin, record)| Entry::record(&origin, record)),
        1 => (origin, text).prop_map(|(origin, text)| {
            Entry::turn_ended(&origin, EndReason::Finished, Some(text), Totals::default())
        }),
        1 => (text, any::<f64>()).prop_map(|(name, number)| {
            // A number that is none becomes null.
            Entry::State { name, value: number.into() }
        }),
        1 => text.prop_map(|text| Entry::RulesGranted {
            allow: vec![Rule::calls("bash", format!("x{text}"))],
            deny: Vec::new(),
        }),
    ]
}

fn record() -> impl Strategy<Value = Record> {
    let call = (1..3_u32, 0..3_u32).prop_map(|(round, index)| CallKey::new(round, index));
    let label = prop_oneof![
        Just(Label::workspace()),
        "[a-c]".prop_map(|name| Source::server("get", &*name, &*name).into()),
        "[a-c]".prop_map(|name| Source::web("fetch", name).into()),
    ];
    let outcome = (any::<String>(), label)
        .prop_map(|(text, label)| Outcome::ok(Content::text(text)).with_label(label));
    prop_oneof![
        (1..3_u32).prop_map(script::started),
        (1..3_u32, any::<String>()).prop_map(|(round, text)| {
            let call = script::calls("add", &text);
            script::reply(round, vec![script::says(&text), call], StopReason::ToolUse)
        }),
        call.clone().prop_map(|call| Record::Planned {
            call,
            plan: Plan::new(Verdict::Allow)
        }),
        call.clone().prop_map(|call| Record::Planned {
            call,
            plan: script::asks()
        }),
        call.clone()
            .prop_map(|call| Record::Asked { calls: vec![call] }),
        call.clone().prop_map(|call| Record::Answered {
            call,
            decision: Decision::allow_once()
        }),
        call.clone()
            .prop_map(|call| Record::Started { calls: vec![call] }),
        (call.clone(), outcome).prop_map(|(call, outcome)| Record::Finished { call, outcome }),
        call.clone().prop_map(|call| Record::ConnectionAsked {
            call,
            host: "a.example".into(),
            port: 443,
            reason: "it connects".into(),
            unlisted: false,
        }),
        call.clone().prop_map(|call| Record::FolderAsked {
            call,
            folder: folder(),
            reason: "it failed".into(),
        }),
        call.clone().prop_map(|call| Record::FolderAnswered {
            call,
            folder: folder(),
            decision: Decision::reject_once(),
        }),
        call.prop_map(|call| Record::ConnectionAnswered {
            call,
            host: "a.example".into(),
            port: 443,
            decision: Decision::allow_once(),
        }),
        Just(Record::Interrupt),
        Just(Record::Resumed),
    ]
}

fn folder() -> FolderAccess {
    FolderAccess::new("/srv/data", Access::Write)
}

#[test]
fn a_reload_is_the_fold_of_the_whole_entries() {
    let soak: Option<u32> = std::env::var("HELVE_SOAK")
        .ok()
        .and_then(|text| text.parse().ok());
    let config = Config {
        cases: soak.unwrap_or(100),
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = match soak {
        None => {
            let dice = TestRng::deterministic_rng(config.rng_algorithm);
            TestRunner::new_with_rng(config, dice)
        }
        Some(_) => TestRunner::new(config),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let batches = prop::collection::vec(prop::collection::vec(entry(), 1..4), 1..12);
    let kills = prop::collection::vec(any::<prop::sample::Index>(), 8);
    let outcome = runner.run(&(batches, kills), |(batches, kills)| {
        let _ = std::fs::remove_file(&path);
        let mut written: Vec<(Timestamp, Entry)> = Vec::new();
        let mut ends = vec![0];
        {
            let mut file = JournalFile::create(&path, FORMAT).unwrap();
            for batch in &batches {
                let at = Timestamp::from_millis(written.len() as u64);
                file.append(batch.iter().map(|entry| (at, entry)), Durability::Buffered)
                    .unwrap();
                written.extend(batch.iter().map(|entry| (at, entry.clone())));
            }
        }
        let bytes = std::fs::read(&path).unwrap();
        ends.extend((1..=bytes.len()).filter(|end| bytes[end - 1] == b'\n'));
        prop_assert_eq!(ends.len(), written.len() + 2);
        // What was read is never forgotten, wherever a journal ends.
        let labels = (0..=written.len()).map(|end| fold_of(&written[..end]).session_state.label);
        let labels: Vec<Label> = labels.collect();
        prop_assert!(labels.windows(2).all(|pair| pair[1].covers(&pair[0])));
        for kill in kills {
            let cut = kill.index(bytes.len() + 1);
            let lines = ends[1..].iter().filter(|end| **end - 1 <= cut).count();
            let whole = &written[..lines.saturating_sub(1)];
            let (history, _) = fold(&bytes[..cut]).unwrap();
            prop_assert_eq!(&history, &fold_of(whole));
            // The next process writes on, and the one after that sees both.
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let (mut file, _) = JournalFile::open::<Entry>(&path, FORMAT, |_| ()).unwrap();
            let at = Timestamp::from_millis(0);
            let more = Entry::record(&Origin::new("main", "t1"), Record::Resumed);
            file.append([(at, &more)], Durability::Buffered).unwrap();
            drop(file);
            let mut all = whole.to_vec();
            all.push((at, more));
            let (history, torn) = fold(&std::fs::read(&path).unwrap()).unwrap();
            prop_assert_eq!(history, fold_of(&all));
            prop_assert_eq!(torn, None);
        }
        Ok(())
    });
    outcome.unwrap();
}

#[tokio::test]
async fn the_fold_knows_the_open_turns_their_conversations_and_the_rules() {
    let place = crate::sessions::SessionFolder::new();
    let mut entries = script::opening();
    let mut helping = script::helping();
    let ended = helping.pop().unwrap();
    entries.extend(helping);
    let id = place.write_session("s", entries).await;
    let history = place.sessions.read(&id).await.unwrap();
    let standing = &history.session_state;
    assert_eq!(
        standing.title.as_deref(),
        Some("Look around. Größe: 12 °C, 雨 🌧 \u{2028}\u{0}")
    );
    assert_eq!(standing.open_turns.len(), 2);
    let turn = history.open_turn().unwrap();
    assert_eq!(turn.origin(), &script::origin());
    assert!(turn.in_flight());
    assert_eq!(history.messages.len(), 2);
    assert_eq!(history.conversation(&script::delegate().turn).len(), 2);
    assert_eq!(standing.next_turn(), "t2");

    let mut session = place.sessions.load(&id).await.unwrap().session;
    session.append(ended, Durability::Buffered).await.unwrap();
    session
        .append_all(script::ending(), Durability::Synced)
        .await
        .unwrap();
    drop(session);
    let history = place.sessions.read(&id).await.unwrap();
    assert!(history.session_state.open_turns.is_empty());
    let rules: Vec<String> = history
        .session_state
        .allow
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(rules, ["bash(git commit:*)", "grep"]);
    assert!(history.session_state.deny.is_empty());
    assert_eq!(history.artifacts.len(), 1);
    // The assistant message and the results of all of its calls, so that any provider takes the conversation.
    let Message::Tool { content } = &history.messages[2] else {
        panic!("{:?}", history.messages);
    };
    assert_eq!(content.len(), 4);
}
