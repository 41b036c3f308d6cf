//! Entries by their meaning: the vectors of an embedding model.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use helve_text_index::{Collection, EmbedError, Embeddings, TextEmbedder, TextIndex};

use crate::store::StoredEntry;

/// The collection of the vectors.
const COLLECTION: &str = "memory vectors";

/// The vectors of entries, by the digest of their text.
#[derive(Debug, Clone)]
pub(crate) struct MemoryVectors {
    embeddings: Embeddings,
    /// The folder of the index where the vectors are stored; losing them loses no entry.
    folder: Option<PathBuf>,
    opened: Arc<OnceLock<Option<Collection>>>,
}

impl MemoryVectors {
    pub(crate) fn new(embedder: impl TextEmbedder + 'static, folder: Option<PathBuf>) -> Self {
        Self {
            embeddings: Embeddings::new(embedder),
            folder,
            opened: Arc::default(),
        }
    }

    /// Returns the positions of the entries that are similar to a question, the most similar first. The least similarity is
    /// a number up to 1.
    pub(crate) async fn rank(
        &self,
        question: &str,
        entries: &[StoredEntry],
        least: f32,
    ) -> Result<Vec<usize>, EmbedError> {
        let stored = self.collection().await;
        let texts = entries.iter().map(|stored| &stored.entry);
        let texts: Vec<String> = texts
            .map(|entry| format!("{}\n{}", entry.title, entry.text))
            .collect();
        let ranked = self
            .embeddings
            .rank(question, &texts, least, stored.as_ref());
        ranked.await
    }

    /// Opens the index at the first use. Without one, the vectors are made anew by each process.
    async fn collection(&self) -> Option<Collection> {
        let (folder, opened) = (self.folder.clone()?, Arc::clone(&self.opened));
        let open = move || {
            let open = || TextIndex::open(&folder)?.collection(COLLECTION);
            let collection = opened.get_or_init(|| {
                let collection = open();
                collection
                    .inspect_err(
                        |error| tracing::warn!(%error, "the vectors of the memory are not stored"),
                    )
                    .ok()
            });
            collection.clone()
        };
        tokio::task::spawn_blocking(open).await.ok()?
    }
}
