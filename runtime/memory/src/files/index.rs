//! The index of the words of entries, which each search brings up to date with the files, and the search.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use helve_storage::timestamp::Timestamp;
use helve_text_index::{
    Applied, Collection, Document, IndexBatch, TextIndex, TextIndexError, TextQuery,
};

use super::{Files, MAX_DISK_BYTES, disk, path_of};
use crate::entry::{MemoryEntry, MemoryTrust};
use crate::error::MemoryError;
use crate::front_matter;
use crate::store::{MemoryHit, MemoryKey};

/// The collection of the index.
const COLLECTION: &str = "memory";

/// How often an update is tried that another process has overtaken.
const MAX_ATTEMPTS: usize = 3;

/// The length of a snippet of a text without matches, in characters.
const SNIPPET_CHARS: usize = 200;

/// The index, which is opened at its first use.
#[derive(Debug)]
pub(super) struct FileIndex {
    folder: PathBuf,
    opened: OnceLock<TextIndex>,
}

/// What the index has, and what the files have.
struct IndexUpdate<'a> {
    files: &'a Files,
    collection: &'a Collection,
    /// The position and the stamp of each source.
    known: HashMap<String, (u64, String)>,
    batch: IndexBatch,
}

impl FileIndex {
    pub(super) fn new(folder: PathBuf) -> Self {
        let opened = OnceLock::new();
        Self { folder, opened }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn collection(&self) -> Result<Collection, TextIndexError> {
        let index = match self.opened.get() {
            Some(index) => index,
            None => {
                let index = TextIndex::open(&self.folder)?;
                self.opened.get_or_init(|| index)
            }
        };
        index.collection(COLLECTION)
    }
}

impl IndexUpdate<'_> {
    /// Adds the files of a memory that the index does not have as they are, and removes those that are gone.
    fn add(&mut self, key: &MemoryKey) -> Result<(), MemoryError> {
        let folder = self.files.key_folder(key);
        let below = Path::new(key.folder());
        disk::check_folders(&self.files.root, below)?;
        let mut gone: Vec<String> = self.known.keys().cloned().collect();
        let prefix = format!("{}/", key.folder());
        gone.retain(|source| source.starts_with(&prefix));
        for file in disk::walk(&folder)? {
            let Some(path) = path_of(key, &file.path) else {
                continue;
            };
            let source = super::relative(key, &path);
            gone.retain(|gone| *gone != source);
            let known = self.known.get(&source);
            if known.is_some_and(|(_, stamp)| *stamp == file.stamp) {
                continue;
            }
            let from = known.map(|(position, _)| *position);
            let text = match disk::read(&folder.join(&file.path), MAX_DISK_BYTES) {
                Ok(text) => text.unwrap_or_default(),
                Err(error) => {
                    tracing::warn!(source, %error, "an entry of the memory is not indexed");
                    continue;
                }
            };
            let entry = front_matter::parse(&text);
            let document = document(key, &source, &entry);
            let to = from.map_or(1, |from| from + 1);
            let added = self.batch.advance(&*source, from, to, &*file.stamp);
            if let Err(error) = added.and_then(|()| self.batch.put(document)) {
                tracing::warn!(source, %error, "an entry of the memory is not indexed");
            }
        }
        for source in gone {
            self.batch.remove_source(source);
        }
        Ok(())
    }
}

fn document(key: &MemoryKey, source: &str, entry: &MemoryEntry) -> Document {
    let text = format!("{}\n{}", entry.other.join("\n"), entry.text);
    Document::new(source, &*entry.title, text.trim_start())
        .source(source)
        .scope(key.folder())
        .kind(entry.kind.name())
}

impl Files {
    /// Finds entries by their words.
    pub(super) fn search(
        &self,
        keys: &[MemoryKey],
        question: &str,
        limit: usize,
    ) -> Result<Vec<MemoryHit>, MemoryError> {
        let now = Timestamp::now();
        let mut hits = match self.search_index(keys, question, limit * 4) {
            Ok(hits) => hits?,
            Err(error) => {
                tracing::warn!(%error, "the index of the memory cannot be used; all files are read");
                self.scan(keys, question)?
            }
        };
        hits.retain(|hit| !hit.entry.is_expired(now));
        for hit in &mut hits {
            hit.score *= weight(&hit.entry, now);
        }
        hits.sort_by(|one, other| other.score.total_cmp(&one.score));
        hits.truncate(limit);
        Ok(hits)
    }

    /// Brings the index up to date and searches it. The outer error is that of the index.
    fn search_index(
        &self,
        keys: &[MemoryKey],
        question: &str,
        limit: usize,
    ) -> Result<Result<Vec<MemoryHit>, MemoryError>, TextIndexError> {
        let collection = self.index.collection()?;
        if let Err(error) = self.update(&collection, keys)? {
            return Ok(Err(error));
        }
        let query = TextQuery::new(question, limit);
        let query = keys
            .iter()
            .fold(query, |query, key| query.scope(key.folder()));
        let mut hits = Vec::new();
        for found in collection.search(&query)? {
            let scope = found.document.scope;
            let Some(key) = keys.iter().find(|key| key.folder() == scope) else {
                continue;
            };
            let below = found
                .document
                .key
                .strip_prefix(&format!("{scope}/"))
                .map(Path::new);
            let Some(path) = below.and_then(|below| path_of(key, below)) else {
                continue;
            };
            // The file may be gone meanwhile.
            if let Ok(Some(entry)) = self.get(key, &path) {
                hits.push(MemoryHit {
                    path,
                    entry,
                    score: found.score,
                    snippet: found.snippet.text,
                });
            }
        }
        Ok(Ok(hits))
    }

    /// Brings the index up to date with the files of memories.
    fn update(
        &self,
        collection: &Collection,
        keys: &[MemoryKey],
    ) -> Result<Result<(), MemoryError>, TextIndexError> {
        for _ in 0..MAX_ATTEMPTS {
            let positions = collection.positions()?.into_iter();
            let known = positions.map(|it| (it.source, (it.position, it.stamp)));
            let mut update = IndexUpdate {
                files: self,
                collection,
                known: known.collect(),
                batch: IndexBatch::new(),
            };
            for key in keys {
                if let Err(error) = update.add(key) {
                    return Ok(Err(error));
                }
            }
            if update.collection.apply(&update.batch)? == Applied::Done {
                break;
            }
        }
        // What another process changes all the time is searched as it was.
        Ok(Ok(()))
    }

    /// Finds entries without the index, by the words that they share with the question.
    fn scan(&self, keys: &[MemoryKey], question: &str) -> Result<Vec<MemoryHit>, MemoryError> {
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| !c.is_alphanumeric());
            let words = words.filter(|word| word.chars().count() > 3);
            words.map(str::to_lowercase).collect()
        };
        let asked = words(question);
        let mut hits = Vec::new();
        for key in keys {
            for stored in self.list(key, &self.key_folder(key))? {
                let known = words(&format!("{} {}", stored.entry.title, stored.entry.text));
                let shared = asked.iter().filter(|word| known.contains(word)).count();
                if shared > 0 {
                    let text = &stored.entry.text;
                    hits.push(MemoryHit {
                        score: shared as f64,
                        snippet: text.chars().take(SNIPPET_CHARS).collect(),
                        path: stored.path,
                        entry: stored.entry,
                    });
                }
            }
        }
        Ok(hits)
    }
}

/// Returns how much an entry counts: less where it is old or comes from outside.
fn weight(entry: &MemoryEntry, now: Timestamp) -> f64 {
    let changed = entry.changed().unwrap_or(now);
    let days = now.since(changed).as_secs_f64() / 86_400.0;
    let age = 0.8 + 0.2 * 0.5f64.powf(days / 180.0);
    let trust = if entry.trust == MemoryTrust::Outside {
        0.8
    } else {
        1.0
    };
    age * trust
}
