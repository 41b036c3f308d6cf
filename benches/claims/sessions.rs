//! Sessions: thousands open at once, a long one resumed, and what an entry costs.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use helve::agent::session::{Entry, FolderStore, Session, SessionMetadata, Sessions};
use helve::agent::turn::{Bounds, EndReason, Outcome, Plan, Purpose, Record, Totals};
use helve::model::{Reply, StopReason};
use helve::permission::Verdict;
use helve::transcript::journal::Durability;
use helve::transcript::{
    AssistantMessage, CallKey, Content, Message, MessagePart, Origin, SessionId, ToolCall, Usage,
};
use serde_json::Value;

use crate::dispatch::runtime;
use crate::harness::{Bar, Row, measure_alternately, nanos, nanos_per_run};

/// Says that a fresh process is to open many sessions and print what memory one takes.
pub(crate) const MANY_SESSIONS_ARGUMENT: &str = "--many-sessions";

/// How many sessions are open at once.
const SESSIONS: u32 = 10_000;
/// How many entries the long session has.
const ENTRIES: u64 = 100_000;
/// How many entries a turn has here, its beginning and its end included.
const ENTRIES_PER_TURN: u64 = 10;

pub(crate) fn rows() -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = vec![resume(folder.path()), many(folder.path())];
    rows.extend(append(folder.path()));
    rows
}

/// One turn: a question, a call with its result, an answer.
fn turn(origin: &Origin) -> Vec<Entry> {
    let key = CallKey::new(1, 0);
    let reply = |part, stop| Reply {
        message: AssistantMessage::new(vec![part]),
        stop,
        usage: Usage::new(1_200, 80),
    };
    let call = ToolCall::new(
        "toolu_01A09q90qw90lq917835lq9",
        "read_file",
        r#"{"path":"src/main.rs","limit":200}"#,
    );
    let says =
        "The file starts the server, reads the configuration and installs the signal handlers. ";
    let records = [
        Record::ModelStarted {
            round: 1,
            purpose: Purpose::Reply,
        },
        Record::model_done(1, reply(MessagePart::ToolCall(call), StopReason::ToolUse)),
        Record::Planned {
            call: key,
            plan: Plan {
                exclusive: false,
                idempotent: true,
                ..Plan::new(Verdict::Allow)
            },
        },
        Record::Started { calls: vec![key] },
        Record::Finished {
            call: key,
            outcome: Outcome::ok(Content::text(
                "fn main() {\n    server::run();\n}\n".repeat(12),
            )),
        },
        Record::Elapsed {
            milliseconds: 1_250,
        },
        Record::ModelStarted {
            round: 2,
            purpose: Purpose::Reply,
        },
        Record::model_done(
            2,
            reply(
                MessagePart::Text {
                    text: says.repeat(3),
                },
                StopReason::EndTurn,
            ),
        ),
    ];
    let prompt = vec![Message::user("What does src/main.rs do?")];
    let mut entries = vec![Entry::turn_started(origin, Bounds::new(50), prompt)];
    entries.extend(records.map(|record| Entry::record(origin, record)));
    entries.push(Entry::turn_ended(
        origin,
        EndReason::Finished,
        None,
        Totals::default(),
    ));
    entries
}

/// Makes a session of so many turns, and gives it back.
async fn session(sessions: &Sessions, turns: u64) -> SessionId {
    let mut session = sessions
        .create(SessionMetadata::new("bench"))
        .await
        .unwrap();
    for number in 1..=turns {
        let origin = Origin::new("main", format!("t{number}"));
        let written = session.append_all(turn(&origin), Durability::Buffered);
        written.await.unwrap();
    }
    session.id().clone()
}

/// Resumes a long session; reading its lines as any JSON is what nobody could do without.
fn resume(folder: &Path) -> Row {
    let runtime = runtime();
    let store = FolderStore::new(folder);
    let sessions = Sessions::new(store.clone());
    let long = runtime.block_on(session(&sessions, ENTRIES / ENTRIES_PER_TURN));
    let file = store.file(&long).unwrap();
    let rounds = measure_alternately(
        5,
        || {
            nanos_per_run(1, || {
                let loaded = runtime.block_on(sessions.load(&long)).unwrap();
                assert!(loaded.history.session_state.seq >= ENTRIES);
                black_box(loaded.history.messages.len());
            })
        },
        || {
            nanos_per_run(1, || {
                let lines = BufReader::new(File::open(&file).unwrap()).lines();
                let values = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()));
                black_box(values.map(Result::unwrap).count());
            })
        },
    );
    Row {
        what: "resume of a session of 100,000 entries",
        against: "its lines as JSON values",
        bar: Bar::Time(Duration::from_secs(1)),
        rounds,
    }
}

/// What an entry costs, on its way to the system and on its way to the disk.
fn append(folder: &Path) -> Vec<Row> {
    let runtime = runtime();
    let sessions = Sessions::new(FolderStore::new(folder.join("append")));
    let mut session = runtime
        .block_on(sessions.create(SessionMetadata::new("bench")))
        .unwrap();
    let origin = Origin::new("main", "t1");
    let entry = turn(&origin).remove(6);
    let mut line = serde_json::to_vec(&entry).unwrap();
    line.push(b'\n');
    let mut bare = File::create(folder.join("bare")).unwrap();
    let mut ours = |runs, durability| {
        nanos_per_run(runs, || write(&runtime, &mut session, &entry, durability))
    };
    let buffered = measure_alternately(
        30,
        || ours(200, Durability::Buffered),
        || nanos_per_run(200, || bare.write_all(&line).unwrap()),
    );
    let synced = measure_alternately(
        15,
        || ours(10, Durability::Synced),
        || {
            nanos_per_run(10, || {
                bare.write_all(&line).unwrap();
                bare.sync_data().unwrap();
            })
        },
    );
    vec![
        Row {
            what: "an entry to the system",
            against: "a bare write",
            bar: Bar::Time(Duration::from_micros(100)),
            rounds: buffered,
        },
        Row {
            what: "an entry to the disk",
            against: "a bare write and fdatasync",
            bar: Bar::Ratio(1.5),
            rounds: synced,
        },
    ]
}

fn write(
    runtime: &tokio::runtime::Runtime,
    session: &mut Session,
    entry: &Entry,
    durability: Durability,
) {
    runtime
        .block_on(session.append(entry.clone(), durability))
        .unwrap();
}

/// Opens thousands of sessions in a fresh process, which says what memory and how many files that took.
fn many(folder: &Path) -> Row {
    let folder = folder.join("many");
    let store = FolderStore::new(&folder);
    let first = runtime().block_on(session(&Sessions::new(store.clone()), 3));
    let file = store.file(&first).unwrap();
    for number in 0..SESSIONS {
        std::fs::copy(&file, folder.join(format!("s{number}.jsonl"))).unwrap();
    }
    let begun = Instant::now();
    let output = Command::new(std::env::current_exe().unwrap())
        .arg(MANY_SESSIONS_ARGUMENT)
        .arg(&folder)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let seen: Vec<f64> = text
        .split_whitespace()
        .map(|number| number.parse().unwrap())
        .collect();
    eprintln!(
        "{SESSIONS} sessions opened in {:.1} s, with {} files open",
        nanos(begun.elapsed()) / 1e9,
        seen[1]
    );
    Row {
        what: "memory of an idle open session, of 10,000",
        against: "its journal",
        bar: Bar::Bytes(16 << 10),
        rounds: vec![(seen[0], std::fs::metadata(&file).unwrap().len() as f64)],
    }
}

/// Opens the sessions of the folder that the command line names, and prints bytes a session and open files.
pub(crate) fn open_many() -> ExitCode {
    let folder = std::env::args_os().nth(2).unwrap();
    let sessions = Sessions::new(FolderStore::new(folder));
    let runtime = runtime();
    let id = |number: u32| SessionId::from(format!("s{number}"));
    // What the first one needs, all share.
    let first = runtime.block_on(sessions.load(&id(0))).unwrap();
    let before = resident();
    let open: Vec<Session> = (1..SESSIONS)
        .map(|number| {
            runtime
                .block_on(sessions.load(&id(number)))
                .unwrap()
                .session
        })
        .collect();
    let each = (resident() - before) / open.len() as f64;
    let files = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    println!("{each} {files}");
    drop((first, open));
    ExitCode::SUCCESS
}

/// Returns how many bytes of this process are in memory.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    let kibibytes: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kibibytes * 1024.0
}
