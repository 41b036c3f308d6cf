//! An embedding model with the vectors that it made, and the searches by meaning.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use helve_core::support::lock::Mutex;
use sha2::{Digest as _, Sha256};

use crate::document::{Document, TextHit, TextQuery};
use crate::embedding::{EmbedError, Embedding, TextEmbedder};
use crate::error::TextIndexError;
use crate::index::Collection;

/// The greatest number of texts of one request.
const BATCH: usize = 64;

/// The greatest length of an embedded text, in characters: what is longer is embedded by its beginning.
const MAX_CHARS: usize = 2_000;

/// The time after which no further request for the vectors of texts is made within one search.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// The greatest number of stored vectors of texts that are no documents.
const MAX_TEXTS: usize = 8_192;

/// An embedding model, with which searches find texts by their meaning. The clones share the model.
///
/// In the state of an app, it makes `search_documents` find passages by their meaning, too. The vectors of documents are stored
/// in their index, with a byte for each number. The vectors of another model are made anew.
///
/// ```
/// use helve::text_index::{
///     Document, EmbedFuture, Embeddings, IndexBatch, TextEmbedder, TextIndex, TextQuery,
/// };
///
/// /// Knows two subjects.
/// #[derive(Debug)]
/// struct Subjects;
///
/// impl TextEmbedder for Subjects {
///     fn name(&self) -> &str {
///         "subjects"
///     }
///
///     fn embed<'a>(&'a self, texts: &'a [String]) -> EmbedFuture<'a> {
///         let has = |text: &str, words: [&str; 2]| f32::from(words.iter().any(|word| text.contains(word)));
///         let vector = |text: &String| vec![has(text, ["ship", "release"]), has(text, ["food", "café"])];
///         Box::pin(std::future::ready(Ok(texts.iter().map(vector).collect())))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// # let folder = tempfile::tempdir()?;
/// let notes = TextIndex::open(folder.path())?.collection("notes")?;
/// let mut batch = IndexBatch::new();
/// batch.put(Document::new("1", "", "A release goes out on Fridays."))?;
/// batch.put(Document::new("2", "", "The café opens at noon."))?;
/// let _ = notes.apply(&batch)?;
///
/// let embeddings = Embeddings::new(Subjects);
/// let all = TextQuery::default();
/// assert_eq!(embeddings.update(&notes, &all, |_| true, || true).await?.made, 2);
/// let hits = embeddings.search(&notes, &TextQuery::new("when do we ship", 5), 0.5).await?;
/// assert_eq!(hits[0].document.key, "1");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Embeddings {
    embedder: Arc<dyn TextEmbedder>,
    /// The vectors of texts that are no documents, by their digests.
    known: Arc<Mutex<HashMap<String, Embedding>>>,
}

/// What an update of the vectors of a collection did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmbeddingUpdate {
    /// The number of vectors that were made.
    pub made: usize,
    /// Whether the update ended before the end of the collection.
    pub is_cut: bool,
}

impl Embeddings {
    /// The greatest number of documents of a collection that have vectors, since a search compares all of them.
    pub const MAX_DOCUMENTS: u64 = 20_000;

    /// Creates the embeddings of a model.
    pub fn new(embedder: impl TextEmbedder + 'static) -> Self {
        Self {
            embedder: Arc::new(embedder),
            known: Arc::default(),
        }
    }

    /// Returns the name of the model.
    #[must_use]
    pub fn model(&self) -> &str {
        self.embedder.name()
    }

    /// Makes the vectors of the documents of a query that have none of this model: its text and its limit do not matter. The
    /// vectors of each request are stored before the next one, so that an update that ended is continued by the next.
    ///
    /// The texts of documents that are not `wanted` are not sent to the model. The update ends when `goes_on` returns false, and
    /// at [`MAX_DOCUMENTS`](Self::MAX_DOCUMENTS).
    ///
    /// # Errors
    /// When the model fails, or the index cannot be used.
    pub async fn update(
        &self,
        collection: &Collection,
        query: &TextQuery,
        wanted: impl Fn(&Document) -> bool + Send,
        goes_on: impl Fn() -> bool + Send,
    ) -> Result<EmbeddingUpdate, EmbedError> {
        let mut query = query.clone();
        query.limit = BATCH;
        let (mut update, mut after) = (EmbeddingUpdate::default(), 0);
        let all = TextQuery::default();
        let (mut room, _) = self.count(collection, &all).await?;
        room = Self::MAX_DOCUMENTS.saturating_sub(room);
        loop {
            let (model, of_batch) = (self.model().to_owned(), query.clone());
            let read =
                move |collection: &Collection| collection.without_vector(&model, &of_batch, after);
            let mut found = blocking(collection, read).await?;
            let Some((last, _)) = found.last() else {
                return Ok(update);
            };
            after = *last;
            found.retain(|(_, document)| wanted(document));
            if found.is_empty() {
                continue;
            }
            if !goes_on() || room < found.len() as u64 {
                update.is_cut = true;
                return Ok(update);
            }
            let texts = found.iter().map(|(_, document)| text_of(document));
            let vectors = self.embed(texts.collect()).await?;
            let documents = found.into_iter().map(|(_, document)| document);
            let vectors: Vec<(Document, Embedding)> = documents.zip(vectors).collect();
            update.made += vectors.len();
            room -= vectors.len() as u64;
            let model = self.model().to_owned();
            let write = move |collection: &Collection| collection.put_vectors(&model, &vectors);
            blocking(collection, write).await?;
        }
    }

    /// Returns how many of the documents of a query have a vector of this model, and how many have none.
    ///
    /// # Errors
    /// When the index cannot be used.
    pub async fn count(
        &self,
        collection: &Collection,
        query: &TextQuery,
    ) -> Result<(u64, u64), TextIndexError> {
        let (model, query) = (self.model().to_owned(), query.clone());
        blocking(collection, move |collection| {
            collection.count_vectors(&model, &query)
        })
        .await
    }

    /// Finds the documents whose meaning is the most similar to that of the question. The least similarity is a number up to 1.
    ///
    /// # Errors
    /// When the model fails, or the index cannot be used.
    pub async fn search(
        &self,
        collection: &Collection,
        query: &TextQuery,
        least: f32,
    ) -> Result<Vec<TextHit>, EmbedError> {
        let question = self.embed_one(&query.text).await?;
        let (model, query) = (self.model().to_owned(), query.clone());
        let read =
            move |collection: &Collection| collection.nearest(&model, &query, (&question, least));
        Ok(blocking(collection, read).await?)
    }

    /// Returns the positions of the texts whose meaning is similar to that of a question, the most similar first. The least
    /// similarity is a number up to 1.
    ///
    /// The vectors of the texts are stored in a collection, if there is one, which has nothing else; losing them loses no text.
    ///
    /// # Errors
    /// When the model fails.
    pub async fn rank(
        &self,
        question: &str,
        texts: &[String],
        least: f32,
        stored: Option<&Collection>,
    ) -> Result<Vec<usize>, EmbedError> {
        let vectors = self.vectors(texts, stored).await?;
        let question = self.embed_one(question).await?;
        let similar = vectors.iter().enumerate();
        let similar = similar.map(|(at, vector)| (at, question.similarity(&vector.to_bytes())));
        let mut ranked: Vec<(usize, f32)> = similar.collect();
        ranked.retain(|(_, similarity)| *similarity >= least);
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        Ok(ranked.into_iter().map(|(at, _)| at).collect())
    }

    /// Returns the vectors of texts; those that are not known are asked for, and stored.
    async fn vectors(
        &self,
        texts: &[String],
        stored: Option<&Collection>,
    ) -> Result<Vec<Embedding>, EmbedError> {
        let texts: Vec<String> = texts.iter().map(|text| beginning(text)).collect();
        let keys: Vec<String> = texts.iter().map(|text| digest(text)).collect();
        let is_first = self.known.lock().is_empty();
        if let Some(stored) = stored.filter(|_| is_first) {
            let model = self.model().to_owned();
            match blocking(stored, move |stored| stored.vectors(&model)).await {
                Ok(read) => self.known.lock().extend(read),
                Err(error) => tracing::warn!(%error, "the stored vectors of texts cannot be read"),
            }
        }
        let missing: Vec<(String, String)> = {
            let known = self.known.lock();
            let pairs = keys.iter().zip(&texts);
            let missing = pairs.filter(|(key, _)| !known.contains_key(*key));
            let missing = missing.map(|(key, text)| (key.clone(), text.clone()));
            missing.collect()
        };
        let start = Instant::now();
        for batch in missing.chunks(BATCH) {
            if start.elapsed() > MAX_WAIT {
                return Err(
                    "the model is slow: the next search continues with more of the texts".into(),
                );
            }
            let texts = batch.iter().map(|(_, text)| text.clone());
            let made = self.embed(texts.collect()).await?;
            let keys = batch.iter().map(|(key, _)| key.clone());
            let made: Vec<(String, Embedding)> = keys.zip(made).collect();
            self.known.lock().extend(made.iter().cloned());
            let Some(stored) = stored else { continue };
            let model = self.model().to_owned();
            let write = move |stored: &Collection| stored.put_texts(&model, &made, MAX_TEXTS);
            if let Err(error) = blocking(stored, write).await {
                tracing::warn!(%error, "the vectors of texts are not stored");
            }
        }
        let mut known = self.known.lock();
        let found = keys.iter().map(|key| known.get(key).cloned());
        let found: Option<Vec<Embedding>> = found.collect();
        if known.len() > MAX_TEXTS {
            known.clear();
        }
        found.ok_or_else(|| "the vectors of the texts are no longer there".into())
    }

    async fn embed_one(&self, text: &str) -> Result<Embedding, EmbedError> {
        let mut vectors = self.embed(vec![beginning(text)]).await?;
        vectors
            .pop()
            .ok_or_else(|| "the model returned no vector".into())
    }

    /// Returns the vectors of at most [`BATCH`] texts.
    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Embedding>, EmbedError> {
        let vectors = self.embedder.embed(&texts).await?;
        if vectors.len() != texts.len() {
            return Err("the model returned another number of vectors than of texts".into());
        }
        Ok(vectors
            .iter()
            .map(|vector| Embedding::new(vector))
            .collect())
    }
}

/// Runs an operation on a collection, on a thread that may block.
async fn blocking<T: Send + 'static>(
    collection: &Collection,
    operation: impl FnOnce(&Collection) -> Result<T, TextIndexError> + Send + 'static,
) -> Result<T, TextIndexError> {
    let collection = collection.clone();
    let done = tokio::task::spawn_blocking(move || operation(&collection)).await;
    done.unwrap_or(Err(TextIndexError::Stopped))
}

/// Returns what is embedded of a document.
fn text_of(document: &Document) -> String {
    beginning(&format!("{}\n{}", document.title, document.text))
}

fn beginning(text: &str) -> String {
    text.chars().take(MAX_CHARS).collect()
}

/// Returns the beginning of the digest of a text in hexadecimal digits.
fn digest(text: &str) -> String {
    let bytes = Sha256::digest(text.as_bytes());
    let bytes = bytes.iter().take(16);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}
