//! How many questions of a labelled set find their entry among the first five: 300 entries, 155 questions in English, German
//! and Chinese, of which every third was not looked at before the rest was right.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::HashMap;

use helve_text_index::{EmbedFuture, TextEmbedder};

use crate::entry::MemoryEntry;
use crate::files::FileMemory;
use crate::front_matter;
use crate::memory::Memory;
use crate::path::{MemoryPath, MemoryScope};
use crate::session_memory::SessionMemory;

/// Services, whose entries have the words of a company and are asked about by no question.
const SERVICES: [&str; 20] = [
    "catalog",
    "basket",
    "ledger",
    "mailer",
    "gateway-eu",
    "pricing",
    "reviews",
    "stock",
    "returns",
    "loyalty",
    "coupons",
    "search-indexer",
    "images",
    "reports",
    "auth",
    "tracking",
    "partners",
    "chatbot",
    "fraud",
    "taxes",
];

/// What is known of each service.
const FACTS: [(&str, &str); 10] = [
    (
        "Port of NAME",
        "NAME listens on port NUMBER behind the proxy.",
    ),
    ("Team of NAME", "The group in room NUMBER maintains NAME."),
    (
        "Memory limit of NAME",
        "NAME may use NUMBER mebibytes before it is restarted.",
    ),
    (
        "Dashboard of NAME",
        "Board NUMBER shows latency and errors of NAME.",
    ),
    (
        "On-call for NAME",
        "Whoever carries pager NUMBER wakes up for NAME.",
    ),
    (
        "Repository of NAME",
        "Sources of NAME are in the monorepo below services/NAME, since change NUMBER.",
    ),
    (
        "Replicas of NAME",
        "NAME runs NUMBER copies at night and twice as many at noon.",
    ),
    ("Changelog of NAME", "Version 2.NUMBER of NAME dropped XML."),
    (
        "Owner of NAME",
        "Ticket NUMBER explains why NAME moved to another department.",
    ),
    (
        "Log level of NAME",
        "NAME writes warnings only, unless flag NUMBER is set.",
    ),
];

/// A question, and the title of the entry that answers it.
pub(crate) struct Question {
    pub(crate) title: &'static str,
    pub(crate) text: &'static str,
    /// Whether the question shares a content word with its entry.
    pub(crate) shares: bool,
    /// Whether it was held back.
    pub(crate) is_held: bool,
}

/// Returns the titles and texts of all entries.
pub(crate) fn entries() -> Vec<(String, String)> {
    let lines = include_str!("labelled/entries.txt").lines();
    let lines = lines.filter_map(|line| line.split_once(" | "));
    let mut entries: Vec<(String, String)> = lines
        .map(|(title, text)| (title.to_owned(), text.to_owned()))
        .collect();
    for (at, service) in SERVICES.iter().enumerate() {
        for (number, (title, text)) in FACTS.iter().enumerate() {
            let number = (1_000 + at * 37 + number * 11).to_string();
            let fill = |text: &str| text.replace("NAME", service).replace("NUMBER", &number);
            entries.push((fill(title), fill(text)));
        }
    }
    entries
}

pub(crate) fn questions() -> Vec<Question> {
    let lines = include_str!("labelled/questions.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#')).enumerate();
    let read = lines.map(|(at, line)| {
        let (mark, rest) = line.split_at(2);
        let (title, text) = rest.split_once(" | ").unwrap();
        Question {
            title,
            text,
            shares: mark == "= ",
            is_held: at % 3 == 2,
        }
    });
    read.collect()
}

/// Writes all entries as files of two memories, since one has at most 256 files.
pub(crate) fn store(files: &FileMemory, memory: &SessionMemory) {
    for (at, (title, text)) in entries().into_iter().enumerate() {
        let scope = if at % 2 == 0 {
            MemoryScope::User
        } else {
            MemoryScope::Project
        };
        let path = MemoryPath::for_title(scope, &title, |_| false);
        let file = files.file(memory.key(scope).unwrap(), &path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, front_matter::render(&MemoryEntry::new(title, text))).unwrap();
    }
}

/// Returns the shares of questions whose entry is among the first five: of those that share a word with it and of those that
/// do not, and the same of those that were held back.
pub(crate) async fn measure(memory: &SessionMemory) -> [f64; 4] {
    let mut counts = [(0, 0); 4];
    for question in questions() {
        let hits = memory.search(question.text, None, 5).await.unwrap();
        let is_found = hits.iter().any(|hit| hit.entry.title == question.title);
        let class = usize::from(!question.shares);
        for class in std::iter::once(class).chain(question.is_held.then_some(class + 2)) {
            counts[class].0 += u32::from(is_found);
            counts[class].1 += 1;
        }
        if !is_found && question.shares {
            let found: Vec<&str> = hits.iter().map(|hit| &*hit.entry.title).collect();
            println!("missed: {} | {} | {found:?}", question.title, question.text);
        }
    }
    counts.map(|(found, all)| f64::from(found) / f64::from(all))
}

#[tokio::test]
async fn questions_find_their_entries_by_words() {
    assert!(entries().len() >= 300, "{}", entries().len());
    let asked = questions();
    assert!(asked.len() >= 150 && asked.iter().filter(|question| question.is_held).count() >= 50);
    for question in &asked {
        assert!(
            entries().iter().any(|(title, _)| title == question.title),
            "{}",
            question.title
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let files = FileMemory::new(folder.path());
    let memory = Memory::new(files.clone())
        .with_project("/p".as_ref())
        .for_person();
    store(&files, &memory);
    let [shared, other, held_shared, held_other] = measure(&memory).await;
    println!(
        "recall@5 by words: {shared:.2} with a common word, {other:.2} without; held back: {held_shared:.2}, {held_other:.2}"
    );
    assert!(shared >= 0.9, "{shared}");
    assert!(held_shared >= 0.9, "{held_shared}");
}

/// A model whose vectors were made before, from each text to its vector.
#[derive(Debug)]
struct RecordedEmbedder(HashMap<String, Vec<f32>>);

/// The length of the recorded vectors.
const DIMENSIONS: usize = 384;

impl RecordedEmbedder {
    /// Returns the vectors of all-MiniLM-L6-v2 (with weights of 8 bits): one of each entry, then one of each question, with a
    /// byte for each number.
    fn recorded() -> Self {
        let entries = entries().into_iter();
        let texts = entries.map(|(title, text)| format!("{title}\n{text}"));
        let asked = questions()
            .into_iter()
            .map(|question| question.text.to_owned());
        let vectors = include_bytes!("labelled/vectors.i8").chunks_exact(DIMENSIONS);
        let vectors = vectors.map(|bytes| bytes.iter().map(|byte| f32::from(byte.cast_signed())));
        let known: HashMap<_, _> = texts
            .chain(asked)
            .zip(vectors.map(Iterator::collect))
            .collect();
        assert_eq!(known.len(), self::entries().len() + questions().len());
        Self(known)
    }

    /// Returns the vectors of another model: a file with JSON, from each text in one line to its vector.
    fn from_file(file: &std::ffi::OsStr) -> Self {
        let vectors: HashMap<String, Vec<f32>> =
            serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let entries = entries().into_iter();
        let texts = entries.map(|(title, text)| format!("{title}\n{text}"));
        let asked = questions()
            .into_iter()
            .map(|question| question.text.to_owned());
        let vector = |text: String| {
            let vector = vectors[&text.replace('\n', " ")].clone();
            (text, vector)
        };
        Self(texts.chain(asked).map(vector).collect())
    }
}

impl TextEmbedder for RecordedEmbedder {
    fn name(&self) -> &str {
        "recorded"
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> EmbedFuture<'a> {
        let vectors = texts.iter().map(|text| {
            let vector = self.0.get(text).cloned();
            vector.ok_or_else(|| format!("no vector of {text:?}").into())
        });
        Box::pin(std::future::ready(vectors.collect()))
    }
}

/// With the vectors of a model, questions find entries without a common word. `HELVE_MEMORY_VECTORS` names a file with the
/// vectors of another model than the recorded one.
#[tokio::test]
async fn questions_find_their_entries_by_meaning() {
    let other = std::env::var_os("HELVE_MEMORY_VECTORS");
    let embedder = other.map_or_else(RecordedEmbedder::recorded, |file| {
        RecordedEmbedder::from_file(&file)
    });
    let folder = tempfile::tempdir().unwrap();
    let files = FileMemory::new(folder.path());
    let memory = Memory::new(files.clone()).with_project("/p".as_ref());
    let memory = memory.with_embedder(embedder).for_person();
    store(&files, &memory);
    let [shared, other, held_shared, held_other] = measure(&memory).await;
    println!(
        "recall@5 by words and meaning: {shared:.2} with a common word, {other:.2} without; held back: {held_shared:.2}, {held_other:.2}"
    );
    assert!(
        shared >= 0.9 && held_shared >= 0.9,
        "{shared}, {held_shared}"
    );
    assert!(other >= 0.6 && held_other >= 0.6, "{other}, {held_other}");
}
