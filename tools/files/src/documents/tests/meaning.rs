//! The tools with an embedding model that a test scripts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use helve::State;
use helve::text_index::{EmbedFuture, Embeddings, TextEmbedder};

use super::Fixture;

/// Knows three subjects, notes the texts that it is asked about, and fails on demand.
#[derive(Debug, Clone)]
struct ScriptedEmbedder {
    name: &'static str,
    texts: Arc<Mutex<Vec<String>>>,
    fails: Arc<AtomicBool>,
}

const SUBJECTS: [&[&str]; 3] = [
    &["deploy", "stable", "ship"],
    &["user", "customer"],
    &["proxy", "gateway"],
];

impl ScriptedEmbedder {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            texts: Arc::default(),
            fails: Arc::default(),
        }
    }

    /// Returns the first lines of the texts since the last time, after their titles.
    fn take(&self) -> Vec<String> {
        let texts = std::mem::take(&mut *self.texts.lock().unwrap());
        let line = |text: String| text.lines().nth(1).unwrap_or(&text).to_owned();
        texts.into_iter().map(line).collect()
    }
}

impl TextEmbedder for ScriptedEmbedder {
    fn name(&self) -> &str {
        self.name
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> EmbedFuture<'a> {
        Box::pin(async move {
            if self.fails.load(Ordering::Relaxed) {
                return Err("connection refused".into());
            }
            self.texts.lock().unwrap().extend_from_slice(texts);
            let vector = |text: &String| {
                let has = |words: &&[&str]| words.iter().any(|word| text.contains(word));
                let vector = SUBJECTS.iter().map(|words| f32::from(has(words)));
                vector.chain([0.01]).collect::<Vec<f32>>()
            };
            Ok(texts.iter().map(vector).collect())
        })
    }
}

fn fixture(embedder: &ScriptedEmbedder) -> Fixture {
    let mut state = State::new();
    state.insert(Embeddings::new(embedder.clone()));
    let files = [
        (
            "deploy.md",
            "# Releases\n\nThey are deployed from `stable`.\n",
        ),
        ("users.md", "The name of a user is unique.\n"),
        ("notes.txt", "Ask Ann about the proxy.\n"),
        (".env", "PROXY_TOKEN=1 # proxy\n"),
    ];
    Fixture::with_state(&files, state)
}

#[tokio::test]
async fn passages_are_found_by_their_meaning() {
    let embedder = ScriptedEmbedder::new("m1");
    let fixture = fixture(&embedder);
    insta::assert_snapshot!(fixture.call("index_folder", "{}").await, @"
    `.` is indexed: 3 files, of which 3 are new or changed (3 passages), and 0 were removed.
    By their meaning, too: 3 passages (3 new, by `m1`).
    ");
    assert_eq!(embedder.take().len(), 3);
    // No passage has a word of the question.
    insta::assert_snapshot!(fixture.call("search_documents", r#"{"query": "where do we ship to the customer from?"}"#).await, @"
    2 passages in `.` match `where do we ship to the customer from?`, the best first:

    deploy.md:3-3 (Releases)
    They are deployed from `stable`.

    users.md:1-1
    The name of a user is unique.
    ");
    assert_eq!(fixture.find("gateway", ".").await, ["notes.txt:1-1"]);
    assert_eq!(fixture.find("gateway", "users.md").await, [""; 0]);
    // The words of a question count, too.
    assert_eq!(fixture.find("Ann and the customer", ".").await.len(), 2);
}

#[tokio::test]
async fn only_what_has_changed_is_embedded_anew() {
    let embedder = ScriptedEmbedder::new("m1");
    let fixture = fixture(&embedder);
    fixture.call("index_folder", "{}").await;
    assert_eq!(embedder.take().len(), 3);
    insta::assert_snapshot!(fixture.call("index_folder", "{}").await, @"
    `.` is indexed: 3 files, of which 0 are new or changed (0 passages), and 0 were removed.
    By their meaning, too: 3 passages (0 new, by `m1`).
    ");
    assert_eq!(embedder.take(), [""; 0]);
    fixture.write("notes.txt", "Ask Bob about the gateway now.\n");
    fixture.write("deploy.md", "# Releases\n\nThey come from the trunk.\n");
    insta::assert_snapshot!(fixture.call("index_folder", r#"{"path": "notes.txt"}"#).await, @"
    `notes.txt` is indexed: 1 file, of which 1 is new or changed (1 passage), and 0 were removed.
    By their meaning, too: 1 passages (1 new, by `m1`).
    ");
    assert_eq!(embedder.take(), ["Ask Bob about the gateway now."]);
    fixture.call("index_folder", "{}").await;
    assert_eq!(embedder.take(), ["They come from the trunk."]);
    assert_eq!(fixture.find("proxy", ".").await, ["notes.txt:1-1"]);
    // Files that may contain secrets are not sent to the model, also where a call names them.
    assert_eq!(embedder.take(), ["proxy"]);
    insta::assert_snapshot!(fixture.call("index_folder", r#"{"path": ".env"}"#).await, @"
    `.env` is indexed: 1 file, of which 1 is new or changed (1 passage), and 0 were removed.
    By their meaning, too: 0 passages (0 new, by `m1`); by their words alone: 1.
    ");
    assert_eq!(fixture.find("proxy token", ".env").await, [".env:1-1"]);
    assert_eq!(embedder.take(), ["proxy token"]);
}

#[tokio::test]
async fn another_model_makes_its_own_vectors() {
    let embedder = ScriptedEmbedder::new("m1");
    let mut fixture = fixture(&embedder);
    fixture.call("index_folder", "{}").await;
    let other = ScriptedEmbedder::new("m2");
    let mut state = State::new();
    state.insert(Embeddings::new(other.clone()));
    fixture.set_state(state);
    // The vectors of the first model are not compared with those of the second.
    assert_eq!(fixture.find("gateway", ".").await, [""; 0]);
    other.take();
    insta::assert_snapshot!(fixture.call("index_folder", "{}").await, @"
    `.` is indexed: 3 files, of which 0 are new or changed (0 passages), and 0 were removed.
    By their meaning, too: 3 passages (3 new, by `m2`).
    ");
    assert_eq!(other.take().len(), 3);
    assert_eq!(fixture.find("gateway", ".").await, ["notes.txt:1-1"]);
}

#[tokio::test]
async fn a_model_that_fails_leaves_the_search_by_words() {
    let embedder = ScriptedEmbedder::new("m1");
    let fixture = fixture(&embedder);
    embedder.fails.store(true, Ordering::Relaxed);
    insta::assert_snapshot!(fixture.call("index_folder", "{}").await, @"
    `.` is indexed: 3 files, of which 3 are new or changed (3 passages), and 0 were removed.
    The embedding model `m1` failed: connection refused. By their words alone: 3 passages; a later call of `index_folder` tries again.
    ");
    insta::assert_snapshot!(fixture.call("search_documents", r#"{"query": "proxies"}"#).await, @"
    1 passage in `.` matches `proxies`:

    notes.txt:1-1
    Ask Ann about the proxy.
    [found by words alone: the embedding model `m1` failed: connection refused]
    ");
    embedder.fails.store(false, Ordering::Relaxed);
    insta::assert_snapshot!(fixture.call("index_folder", "{}").await, @"
    `.` is indexed: 3 files, of which 0 are new or changed (0 passages), and 0 were removed.
    By their meaning, too: 3 passages (3 new, by `m1`).
    ");
    assert_eq!(fixture.find("gateway", ".").await, ["notes.txt:1-1"]);
}
