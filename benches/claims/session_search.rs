//! Search in past sessions: a hundred thousand messages in two thousand sessions.

use std::path::Path;
use std::time::Duration;

use helve::agent::session::{
    Entry, FolderStore, SessionMetadata, SessionStore as _, SessionWriter,
};
use helve::agent::turn::{Bounds, EndReason, Purpose, Record};
use helve::model::{Reply, StopReason};
use helve::session_search::{SessionQuery, SessionSearch};
use helve::transcript::journal::{Durability, Timestamp};
use helve::transcript::{
    AssistantMessage, Cost, Message, MessagePart, Origin, SessionId, Totals, Usage,
};

use crate::harness::{Bar, Row, measure_alternately, nanos_per_run};

const SESSIONS: usize = 2_000;

/// The turns of a session, of two messages each.
const TURNS: usize = 25;
const ROUNDS: usize = 5;

/// Words of messages, from those that most messages have to those that few have.
const WORDS: [&str; 40] = [
    "file",
    "test",
    "function",
    "error",
    "change",
    "build",
    "branch",
    "module",
    "release",
    "server",
    "request",
    "connection",
    "database",
    "query",
    "index",
    "parser",
    "token",
    "session",
    "message",
    "journal",
    "deploy",
    "proxy",
    "timeout",
    "retry",
    "schema",
    "migration",
    "cache",
    "socket",
    "thread",
    "lock",
    "queue",
    "worker",
    "sandbox",
    "policy",
    "rule",
    "label",
    "secret",
    "encoding",
    "snapshot",
    "benchmark",
];

/// Questions of one to five words, of common words and rare ones.
const QUESTIONS: [&str; 5] = [
    "which branch did we deploy",
    "the file with the error of the test",
    "\"connection timeout\" proxy",
    "word17x3",
    "how was the migration of the database schema cached and retried",
];

pub(crate) fn rows() -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let sessions = folder.path().join("sessions");
    let mut last = runtime.block_on(write_all(&sessions));
    let search = SessionSearch::in_folder(&sessions, folder.path());
    let update = runtime.block_on(search.update()).unwrap();
    assert_eq!(update.sessions, SESSIONS);
    // The slowest question counts.
    let query = || {
        let times = QUESTIONS.iter().map(|question| {
            nanos_per_run(1, || {
                let query = SessionQuery::new(*question, 10);
                assert!(!runtime.block_on(search.search(&query)).unwrap().is_empty());
            })
        });
        times.fold(0.0, f64::max)
    };
    let queries = measure_alternately(ROUNDS, query, || nanos_per_run(1, || list(&sessions)));
    let id = SessionId::from(format!("s{}", SESSIONS - 1));
    let update = || {
        runtime.block_on(last.turn(7));
        nanos_per_run(1, || {
            let update = runtime.block_on(search.update_session(&id)).unwrap();
            assert_eq!(update.entries, 3);
        })
    };
    let updates = measure_alternately(ROUNDS, update, || nanos_per_run(1, || list(&sessions)));
    vec![
        Row {
            what: "the slowest of five searches in 100,000 messages of 2,000 sessions",
            against: "the names and lengths of the journals",
            bar: Bar::Time(Duration::from_millis(50)),
            rounds: queries,
        },
        Row {
            what: "the index after a turn, of as many messages",
            against: "the names and lengths of the journals",
            bar: Bar::Time(Duration::from_millis(10)),
            rounds: updates,
        },
    ]
}

fn list(folder: &Path) {
    let lengths = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len());
    assert!(lengths.sum::<u64>() > 0);
}

/// Writes all sessions, and returns the writer of the last one.
async fn write_all(folder: &Path) -> Writer {
    let store = FolderStore::new(folder);
    let mut last = None;
    for number in 0..SESSIONS {
        let id = SessionId::from(format!("s{number}"));
        let about = SessionMetadata::new("bench")
            .session(id.clone())
            .folder("/work");
        let first = vec![(Timestamp::now(), Entry::Created(about))];
        let writer = store.create(&id, first).await.unwrap();
        let mut writer = Writer {
            writer,
            number,
            turns: 0,
        };
        for turn in 0..TURNS {
            writer.turn(turn).await;
        }
        last = Some(writer);
    }
    last.unwrap()
}

/// Writes one session.
struct Writer {
    writer: Box<dyn SessionWriter>,
    number: usize,
    turns: usize,
}

impl Writer {
    async fn turn(&mut self, seed: usize) {
        self.turns += 1;
        let origin = Origin::new("main", format!("t{}", self.turns));
        let reply = Reply {
            message: AssistantMessage::new(vec![MessagePart::Text {
                text: self.text(seed + 1, 60),
            }]),
            stop: StopReason::EndTurn,
            usage: Usage::default(),
        };
        let record = Record::ModelDone {
            round: 1,
            purpose: Purpose::Reply,
            cost: Cost::ZERO,
            reply,
        };
        let prompt = vec![Message::user(self.text(seed, 12))];
        let entries = [
            Entry::turn_started(&origin, Bounds::new(10), prompt),
            Entry::record(&origin, record),
            Entry::turn_ended(&origin, EndReason::Finished, None, Totals::default()),
        ];
        let entries: Vec<_> = entries
            .into_iter()
            .map(|entry| (Timestamp::now(), entry))
            .collect();
        self.writer
            .append(entries.into(), Durability::Buffered)
            .await
            .unwrap();
    }

    /// Returns words, of which the first ones of the list are the most common, and one that few messages have.
    fn text(&self, seed: usize, length: usize) -> String {
        let mut state = (self.number * 7_919 + seed * 104_729 + 1) as u64;
        let words = (0..length).map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let random = (state >> 33) as usize % (WORDS.len() * WORDS.len());
            // The smaller of two random numbers, more or less.
            WORDS[(random / WORDS.len()).min(random % WORDS.len())]
        });
        let words: Vec<&str> = words.collect();
        format!("{} word{}x{seed}", words.join(" "), self.number % 100)
    }
}
