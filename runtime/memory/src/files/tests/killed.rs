//! Processes that change a memory and are killed: between a change and the index, or at any moment.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use super::*;
use crate::store::PutCondition;

/// How often a process is killed; `HELVE_SOAK` says another number.
const KILLS: usize = 20;

/// The folder, and the first change, of a process that a test starts.
const FOLDER: &str = "HELVE_MEMORY_KILLED_FOLDER";
const FIRST: &str = "HELVE_MEMORY_KILLED_FIRST";

/// The change after which a process waits until it is killed, before it updates the index.
const HALT: &str = "HELVE_MEMORY_KILLED_HALT";

const WORDS: [&str; 7] = [
    "tulip", "harbour", "copper", "lantern", "meadow", "granite", "ferry",
];

/// What a step changes: the note, and its new text, or whether it is archived.
enum Step {
    Put(String),
    Delete,
    Archive,
}

/// Returns the note that a step changes, and how. It depends on the number of the step and on whether the note exists.
fn step(number: usize, exists: bool) -> Step {
    match number % 5 {
        3 if exists => Step::Delete,
        4 if exists => Step::Archive,
        _ => Step::Put(format!(
            "step {number} about a {}",
            WORDS[number % WORDS.len()]
        )),
    }
}

fn note(number: usize) -> String {
    format!("n{}", number % 23)
}

fn memory_of(files: FileMemory) -> SessionMemory {
    let memory = Memory::new(files).with_project(Path::new("/home/ann/shop"));
    memory.for_person()
}

/// The process that is killed: it makes one change after the other, and searches after each, which updates the index.
#[test]
#[ignore = "another test starts it"]
fn the_process() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let files = FileMemory::new(folder);
    let memory = memory_of(files.clone());
    let key = memory.key(MemoryScope::Project).unwrap().clone();
    let halt: Option<usize> = number(HALT);
    let print = |word: &str, step: usize| {
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "\n{word} {step}").and_then(|()| out.flush());
    };
    for at in number(FIRST).unwrap_or(0).. {
        let path = memory.parse(&note(at)).unwrap().as_file();
        let exists = files.0.get(&key, &path).unwrap().is_some();
        let action = match step(at, exists) {
            Step::Delete => MemoryAction::Delete { path },
            Step::Archive => MemoryAction::Archive { path },
            Step::Put(text) => MemoryAction::Put {
                path,
                entry: Box::new(MemoryEntry::new(format!("Note {at}"), text)),
                condition: PutCondition::Any,
            },
        };
        let change = MemoryChange {
            action,
            source: MemorySource::person(),
            is_pending: false,
        };
        files.0.apply(&key, &change, Timestamp::now()).unwrap();
        print("changed", at);
        if halt == Some(at) {
            // Nothing comes: the process is killed here.
            let _ = std::io::stdin().read(&mut [0]);
        }
        let question = WORDS[at % WORDS.len()];
        files.0.search(memory.keys(), question, 20).unwrap();
        print("indexed", at);
    }
}

fn start(folder: &Path, first: usize, halt: Option<usize>) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let name = "files::tests::killed::the_process";
    command
        .args(["--exact", name, "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .env(FIRST, first.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some(halt) = halt {
        command.env(HALT, halt.to_string());
    }
    command.spawn().unwrap()
}

/// When a process is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// Between a change and the update of the index.
    BeforeIndex,
    /// While the index is updated, or soon after.
    InIndex,
    /// While the next change is made, or soon after.
    InChange,
}

/// Runs a process until it has made a change, kills it, and returns the last change that it reported.
fn kill_after(folder: &Path, first: usize, last: usize, moment: Moment) -> usize {
    let mut child = start(
        folder,
        first,
        (moment == Moment::BeforeIndex).then_some(last),
    );
    let signal = match moment {
        Moment::InChange => format!("indexed {last}"),
        _ => format!("changed {last}"),
    };
    // The process writes on while it is told nothing, so that the pipe is read until its end.
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut reported = None;
    let mut note = |line: &str| {
        let number = line.strip_prefix("changed ");
        let number = number.and_then(|number| number.parse::<usize>().ok());
        reported = number.or(reported);
        line == signal
    };
    let is_there = lines.by_ref().any(|line| note(&line.unwrap()));
    assert!(is_there, "the process ended by itself before step {last}");
    child.kill().unwrap();
    for line in lines.map_while(Result::ok) {
        note(&line);
    }
    child.wait().unwrap();
    reported.unwrap()
}

/// Notes what a step does to the texts that there are.
fn apply(texts: &mut BTreeMap<String, String>, number: usize) {
    let name = note(number);
    match step(number, texts.contains_key(&name)) {
        Step::Put(text) => texts.insert(name, text),
        Step::Delete | Step::Archive => texts.remove(&name),
    };
}

/// Returns the texts of the notes.
async fn texts_of(memory: &SessionMemory) -> BTreeMap<String, String> {
    let entries = memory.list(None).await.unwrap();
    let name = |id: String| id.trim_start_matches("project/").to_owned();
    let texts = entries.into_iter();
    texts
        .map(|stored| (name(stored.path.id()), stored.entry.text))
        .collect()
}

/// A process that is killed between a change and the index, and one that is killed at any moment: no change that it reported
/// is lost, and the next search answers as one with a new index.
#[tokio::test]
async fn a_killed_process_loses_no_change_and_no_answer() {
    let soak = std::env::var("HELVE_SOAK").ok();
    let kills = soak.and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("memory");
    let (mut expected, mut first, mut mid_write) = (BTreeMap::new(), 0, 0);
    for kill in 0..kills {
        let moment = [Moment::BeforeIndex, Moment::InIndex, Moment::InChange][kill % 3];
        let last = kill_after(&root, first, first + kill % 7, moment);
        (first..=last).for_each(|number| apply(&mut expected, number));
        let memory = memory_of(FileMemory::new(&root));
        let texts = texts_of(&memory).await;
        first = last + 1;
        if texts != expected {
            // The process had made the next change already, and could not report it.
            apply(&mut expected, first);
            assert_eq!(texts, expected, "kill {kill}");
            assert_ne!(moment, Moment::BeforeIndex, "kill {kill}");
            first += 1;
            mid_write += 1;
        }
        let index = folder.path().join(format!("index-{kill}"));
        let rebuilt = memory_of(FileMemory::with_index(&root, &index));
        for word in WORDS {
            let answers = found(&memory, word).await;
            assert_eq!(answers, found(&rebuilt, word).await, "kill {kill}: {word}");
        }
        std::fs::remove_dir_all(index).unwrap();
    }
    println!(
        "{kills} processes killed after {first} changes, {mid_write} of them between a change and its report: no change and no answer lost"
    );
}
