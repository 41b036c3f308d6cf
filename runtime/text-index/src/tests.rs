//! The index as a whole.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;

use proptest::prelude::*;

use crate::{
    Applied, Collection, Document, EmbedFuture, Embeddings, IndexBatch, TextEmbedder, TextIndex,
    TextQuery,
};

fn collection(folder: &Path) -> Collection {
    TextIndex::open(folder)
        .unwrap()
        .collection("notes")
        .unwrap()
}

fn batch(documents: impl IntoIterator<Item = Document>) -> IndexBatch {
    let mut batch = IndexBatch::new();
    for document in documents {
        batch.put(document).unwrap();
    }
    batch
}

fn put(collection: &Collection, documents: impl IntoIterator<Item = Document>) {
    assert_eq!(collection.apply(&batch(documents)).unwrap(), Applied::Done);
}

fn keys(collection: &Collection, query: &TextQuery) -> Vec<String> {
    let hits = collection.search(query).unwrap();
    hits.into_iter().map(|hit| hit.document.key).collect()
}

fn find(collection: &Collection, question: &str) -> Vec<String> {
    keys(collection, &TextQuery::new(question, 10))
}

fn samples() -> [Document; 5] {
    [
        Document::new(
            "pipe",
            "Broken pipes",
            "The writer ends when its reader is gone.",
        ),
        Document::new(
            "name",
            "",
            "fn getUserName() and get_user_id() read the table.",
        ),
        Document::new("cjk", "", "部署在每周五进行。東京の天気は晴れです。"),
        Document::new("german", "", "Die Schlüssel liegen in der Straße."),
        Document::new(
            "reader",
            "",
            "A reader reads what a writer writes; readers block.",
        ),
    ]
}

/// Documents with a word that all have, of which some have another word; the later ones are added first.
fn many(count: i64, text: impl Fn(i64) -> String) -> Vec<Document> {
    let document = |number: i64| {
        Document::new(format!("d{number}"), "", text(number))
            .source(format!("s{}", number % 10))
            .time(number * 3_600_000)
    };
    (0..count).rev().map(document).collect()
}

#[test]
fn of_common_words_the_latest_documents_are_ranked_and_those_with_rare_words_or_all() {
    let folder = tempfile::tempdir().unwrap();
    let notes = collection(folder.path());
    let text = |number| match number {
        3 => "common rare words".to_owned(),
        5 => "common usual words".to_owned(),
        number if number % 2 == 0 => "common words here".to_owned(),
        _ => "usual words here".to_owned(),
    };
    put(&notes, many(8_000, text));
    let latest = find(&notes, "common");
    assert_eq!(latest.len(), 10);
    let number = |key: &str| key[1..].parse::<i64>().unwrap();
    assert!(latest.iter().all(|key| number(key) > 3_990), "{latest:?}");
    // What is old is found by what is special about it.
    assert_eq!(find(&notes, "common rare")[0], "d3");
    assert_eq!(find(&notes, "common usual")[0], "d5");
    assert_eq!(find(&notes, "common usual").len(), 10);
    assert_eq!(find(&notes, "\"common usual\""), ["d5"]);
    let mut query = TextQuery::new("common", 1_000);
    query.source = Some("s4".to_owned());
    assert_eq!(keys(&notes, &query).len(), 800);
    query.source = Some("s11".to_owned());
    assert!(keys(&notes, &query).is_empty());
    query.source = None;
    query.before = Some(30 * 3_600_000);
    assert_eq!(keys(&notes, &query).len(), 17);
}

#[test]
fn documents_are_found_by_stems_parts_pairs_and_folded_letters() {
    let folder = tempfile::tempdir().unwrap();
    let notes = collection(folder.path());
    assert!(find(&notes, "pipe").is_empty());
    put(&notes, samples());
    assert_eq!(find(&notes, "a broken pipe"), ["pipe"]);
    assert_eq!(find(&notes, "user names"), ["name"]);
    assert_eq!(find(&notes, "getUserId"), ["name"]);
    assert_eq!(find(&notes, "每周五"), ["cjk"]);
    assert_eq!(find(&notes, "天気"), ["cjk"]);
    assert_eq!(find(&notes, "晴"), ["cjk"]);
    assert_eq!(find(&notes, "strasse"), ["german"]);
    assert_eq!(find(&notes, "reader"), ["reader", "pipe"]);
    assert_eq!(find(&notes, "\"reader reads\""), ["reader"]);
    assert_eq!(find(&notes, "\"reads reader\""), [""; 0]);
    assert_eq!(find(&notes, "\"東京の天気\""), ["cjk"]);
}

#[test]
fn documents_are_replaced_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let notes = collection(folder.path());
    put(&notes, samples());
    put(&notes, [Document::new("pipe", "", "A tube.").data("{}")]);
    assert_eq!(find(&notes, "pipe"), [""; 0]);
    assert_eq!(find(&notes, "tubes"), ["pipe"]);
    assert_eq!(notes.get("pipe").unwrap().unwrap().data, "{}");
    put(&notes, [Document::new("pipe", "", "A tube.").data("[]")]);
    assert_eq!(notes.get("pipe").unwrap().unwrap().data, "[]");
    let mut batch = IndexBatch::new();
    batch.remove("pipe");
    batch.remove("none");
    assert_eq!(notes.apply(&batch).unwrap(), Applied::Done);
    assert_eq!((find(&notes, "tubes"), notes.count().unwrap()), (vec![], 4));
    notes.clear().unwrap();
    assert_eq!(
        (find(&notes, "reader"), notes.count().unwrap()),
        (vec![], 0)
    );
    put(&notes, samples());
    assert_eq!(notes.count().unwrap(), 5);
}

#[test]
fn searches_are_limited() {
    let folder = tempfile::tempdir().unwrap();
    let notes = collection(folder.path());
    let word = |key: &str| Document::new(key, "", "word");
    put(
        &notes,
        [
            word("1").scope("user").kind("fact").time(10).source("s"),
            word("2").scope("project").kind("fact").time(20),
            word("3").scope("project").kind("plan").time(30),
        ],
    );
    let query = |limit: usize| TextQuery::new("words", limit);
    assert_eq!(keys(&notes, &query(2)), ["1", "2"]);
    assert_eq!(keys(&notes, &query(9).scope("project")), ["2", "3"]);
    assert_eq!(
        keys(
            &notes,
            &query(9).scope("project").scope("user").kind("fact")
        ),
        ["1", "2"]
    );
    assert_eq!(keys(&notes, &query(9).since(20).before(30)), ["2"]);
    assert_eq!(keys(&notes, &query(9).source("s")), ["1"]);
    assert_eq!(keys(&notes, &query(9).excluded_source("s")), ["2", "3"]);
    let prefixed = query(9).kind("plan").scope_prefix("pro").since(0);
    assert_eq!(keys(&notes, &prefixed), ["3"]);
    assert_eq!(keys(&notes, &query(9).scope_prefix("%")), [""; 0]);
    assert_eq!(keys(&notes, &query(9).scope_suffix("ser")), ["1"]);
    let [before, after] = notes.neighbours("3", &[]).unwrap();
    assert_eq!((before.unwrap().key, after), ("2".to_owned(), None));
    let [before, after] = notes.neighbours("2", &["plan".to_owned()]).unwrap();
    assert_eq!((before, after.unwrap().key), (None, "3".to_owned()));
    let other = TextIndex::open(folder.path())
        .unwrap()
        .collection("other")
        .unwrap();
    assert_eq!(keys(&other, &query(9)), [""; 0]);
}

#[test]
fn a_source_advances_once() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (collection(folder.path()), collection(folder.path()));
    let advance = |key: &str, from: Option<u64>, to: u64| {
        let mut batch = batch([Document::new(key, "", "line").source("journal")]);
        batch.advance("journal", from, to, "stamp").unwrap();
        batch
    };
    assert_eq!(one.apply(&advance("1", None, 10)).unwrap(), Applied::Done);
    assert_eq!(
        other.apply(&advance("2", None, 20)).unwrap(),
        Applied::Moved
    );
    assert_eq!(
        other.apply(&advance("2", Some(10), 20)).unwrap(),
        Applied::Done
    );
    assert_eq!(find(&one, "lines"), ["1", "2"]);
    let at = one.position("journal").unwrap().unwrap();
    assert_eq!((at.position, &*at.stamp), (20, "stamp"));
    let mut batch = IndexBatch::new();
    batch.remove_source("journal");
    assert_eq!(one.apply(&batch).unwrap(), Applied::Done);
    assert_eq!(
        (one.count().unwrap(), one.positions().unwrap()),
        (0, vec![])
    );
}

/// Overwrites a part of a file.
fn damage(file: &Path, from: u64, bytes: usize) {
    let mut file = std::fs::OpenOptions::new().write(true).open(file).unwrap();
    file.seek(SeekFrom::Start(from)).unwrap();
    file.write_all(&vec![0xa5; bytes]).unwrap();
}

#[test]
fn a_damaged_index_becomes_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("text-index.db");
    for (from, bytes) in [(0, 100), (0, 1 << 16), (4096, 1 << 16), (100, 200)] {
        let notes = collection(folder.path());
        put(&notes, samples());
        let mut at = batch([]);
        at.advance("journal", None, 1, "").unwrap();
        assert_eq!(notes.apply(&at).unwrap(), Applied::Done);
        drop(notes);
        damage(&file, from, bytes);
        let notes = collection(folder.path());
        assert_eq!(notes.count().unwrap(), 0, "{from} {bytes}");
        assert_eq!(notes.position("journal").unwrap(), None);
        put(&notes, samples());
        assert_eq!(find(&notes, "pipes"), ["pipe"]);
        notes.clear().unwrap();
    }
}

#[test]
fn an_index_that_is_damaged_while_it_is_open_becomes_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let notes = collection(folder.path());
    put(&notes, samples());
    let other = TextIndex::open(folder.path()).unwrap();
    // The blocks of the table of terms are no longer such.
    let path = other.path().to_owned();
    let connection = rusqlite::Connection::open(path).unwrap();
    connection
        .execute("UPDATE terms_1_data SET block = x'ffffffffffffffff'", ())
        .unwrap();
    drop(connection);
    assert_eq!(find(&notes, "pipes"), [""; 0]);
    assert_eq!(notes.count().unwrap(), 0);
    put(&notes, samples());
    assert_eq!(find(&collection(folder.path()), "pipes"), ["pipe"]);
}

#[test]
fn long_parts_are_refused() {
    let mut batch = IndexBatch::new();
    assert!(batch.put(Document::new("", "", "")).is_err());
    assert!(
        batch
            .put(Document::new(
                "k",
                "",
                "x".repeat(Document::MAX_TEXT_BYTES + 1)
            ))
            .is_err()
    );
    assert!(batch.advance("", None, 0, "").is_err());
    assert!(batch.is_empty());
}

#[derive(Debug, Clone)]
enum Step {
    Put(u8, Vec<&'static str>),
    Remove(u8),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let words = prop::collection::vec(
        prop::sample::select(vec!["pipe", "reader", "东京", "getName"]),
        0..4,
    );
    prop_oneof![
        4 => (0..6_u8, words).prop_map(|(key, words)| Step::Put(key, words)),
        2 => (0..6_u8).prop_map(Step::Remove),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_index_finds_what_a_map_has(steps in prop::collection::vec(step(), 1..24)) {
        let folder = tempfile::tempdir().unwrap();
        let mut notes = collection(folder.path());
        let mut map = BTreeMap::new();
        for step in steps {
            match step {
                Step::Put(key, words) => {
                    put(&notes, [Document::new(key.to_string(), "", words.join(" "))]);
                    map.insert(key.to_string(), words);
                }
                Step::Remove(key) => {
                    let mut batch = IndexBatch::new();
                    batch.remove(key.to_string());
                    prop_assert_eq!(notes.apply(&batch).unwrap(), Applied::Done);
                    map.remove(&key.to_string());
                }
                Step::Reopen => notes = collection(folder.path()),
            }
            for word in ["pipe", "reader", "东京", "getName"] {
                let with = map.iter().filter(|(_, words)| words.contains(&word));
                let expected: Vec<_> = with.map(|(key, _)| key.clone()).collect();
                let mut found = find(&notes, word);
                found.sort();
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn any_question_is_answered(question in "\\PC{0,40}") {
        let folder = tempfile::tempdir().unwrap();
        let notes = collection(folder.path());
        put(&notes, [Document::new("k", &*question, question.repeat(2))]);
        let hits = notes.search(&TextQuery::new(&*question, 5)).unwrap();
        prop_assert!(hits.len() <= 1);
    }
}

/// Maps texts to vectors by their letters, and counts the texts.
#[derive(Debug, Clone, Default)]
struct LetterEmbedder {
    count: std::sync::Arc<std::sync::atomic::AtomicUsize>,
    is_short: bool,
}

impl TextEmbedder for LetterEmbedder {
    fn name(&self) -> &str {
        if self.is_short { "short" } else { "letters" }
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> EmbedFuture<'a> {
        assert!(texts.len() <= 64 && texts.iter().all(|text| text.chars().count() <= 2_000));
        self.count
            .fetch_add(texts.len(), std::sync::atomic::Ordering::Relaxed);
        let vector = |text: &String| {
            let count = |letter| text.matches(letter).count() as f32;
            ('a'..='z').map(count).collect::<Vec<f32>>()
        };
        let mut vectors: Vec<_> = texts.iter().map(vector).collect();
        vectors.truncate(texts.len() - usize::from(self.is_short));
        Box::pin(std::future::ready(Ok(vectors)))
    }
}

#[tokio::test]
async fn documents_have_vectors_as_long_as_they_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let notes = collection(folder.path());
    let embedder = LetterEmbedder::default();
    let embeddings = Embeddings::new(embedder.clone());
    let made = async |wanted: &str| {
        let wanted = |document: &Document| document.key.contains(wanted);
        let all = TextQuery::default();
        let updated = embeddings.update(&notes, &all, wanted, || true);
        updated.await.unwrap().made
    };
    let numbered = |number: usize| Document::new(format!("k{number:03}"), "", "aaa".repeat(number));
    put(&notes, (0..150).map(numbered));
    assert_eq!(made("k00").await, 10);
    assert_eq!(made("k").await, 140);
    assert_eq!(made("k").await, 0);
    put(
        &notes,
        [numbered(7), Document::new("k008", "", "zzz").source("s")],
    );
    assert_eq!(made("k").await, 1);
    let mut batch = IndexBatch::new();
    batch.remove("k001");
    batch.remove_source("s");
    let _ = notes.apply(&batch).unwrap();
    let all = TextQuery::default();
    assert_eq!(embeddings.count(&notes, &all).await.unwrap(), (148, 0));
    put(&notes, [Document::new("k008", "", "zzz")]);
    assert_eq!(embeddings.count(&notes, &all).await.unwrap(), (148, 1));
    // An update that ends is continued.
    let cut = embeddings
        .update(&notes, &all, |_| true, || false)
        .await
        .unwrap();
    assert_eq!((cut.made, cut.is_cut), (0, true));
    assert_eq!(made("k").await, 1);
    let hits = embeddings
        .search(&notes, &TextQuery::new("zz", 3), 0.5)
        .await
        .unwrap();
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].document.key, "k008");
    let other = Embeddings::new(LetterEmbedder {
        is_short: true,
        ..embedder
    });
    assert_eq!(other.count(&notes, &all).await.unwrap(), (0, 149));
    let failed = other.update(&notes, &all, |_| true, || true).await;
    assert!(
        failed
            .unwrap_err()
            .to_string()
            .contains("another number of vectors")
    );
    notes.clear().unwrap();
    assert_eq!(embeddings.count(&notes, &all).await.unwrap(), (0, 0));
}

#[tokio::test]
async fn texts_are_ranked_by_meaning_and_embedded_once() {
    let folder = tempfile::tempdir().unwrap();
    let stored = collection(folder.path());
    let texts = ["aab", "abb", "zz"].map(str::to_owned);
    let embedder = LetterEmbedder::default();
    for process in 0..2 {
        let embeddings = Embeddings::new(embedder.clone());
        for _ in 0..2 {
            let ranked = embeddings.rank("b", &texts, 0.3, Some(&stored)).await;
            assert_eq!(ranked.unwrap(), [1, 0], "{process}");
        }
    }
    // The three texts, and each question.
    assert_eq!(
        embedder.count.load(std::sync::atomic::Ordering::Relaxed),
        3 + 4
    );
}

#[test]
fn an_index_without_vectors_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    put(&collection(folder.path()), samples());
    let path = folder.path().join("text-index.db");
    let older = rusqlite::Connection::open(&path).unwrap();
    let back = "DROP TRIGGER vector_of_removed; DROP TRIGGER vector_of_changed; DROP TABLE vector; PRAGMA user_version = 1;";
    older.execute_batch(back).unwrap();
    drop(older);
    let again = collection(folder.path());
    assert_eq!(find(&again, "pipes"), ["pipe"]);
    put(&again, [Document::new("pipe", "", "No more of them.")]);
    assert_eq!(again.count().unwrap(), 5);
}
