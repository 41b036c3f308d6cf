//! Entries by their meaning: vectors of an embedding model, which are stored and compared here.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use helve_core::support::lock::Mutex;
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::{bounded_read, private_files};

use crate::store::{StoredEntry, digest};

/// The error of an embedding model.
pub type EmbedError = Box<dyn Error + Send + Sync>;

/// The greatest number of texts of one request.
const BATCH: usize = 64;

/// The greatest length of an embedded text, in characters: what is longer is embedded by its beginning.
const MAX_CHARS: usize = 2_000;

/// The size of the largest file of vectors, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// An embedding model, which turns texts into vectors: texts of one meaning have similar ones.
///
/// With one, a search finds entries that share no word with the question, too. Texts of entries and questions are sent to it.
pub trait MemoryEmbedder: Send + Sync + fmt::Debug {
    /// Returns the name of the model. Vectors of other models are not compared with its own.
    fn name(&self) -> &str;

    /// Returns the vector of each text, all of one length.
    ///
    /// # Errors
    /// When the model cannot be reached or fails. The search then goes by words alone.
    fn embed<'a>(&'a self, texts: &'a [String])
    -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>>;
}

/// The vectors of entries, by the digest of their text.
#[derive(Debug, Clone)]
pub(crate) struct MemoryVectors {
    embedder: Arc<dyn MemoryEmbedder>,
    /// Where the vectors are stored; losing them loses no entry.
    file: Option<PathBuf>,
    known: Arc<Mutex<Option<KnownVectors>>>,
}

type KnownVectors = HashMap<String, Arc<[i8]>>;

impl MemoryVectors {
    pub(crate) fn new(embedder: Arc<dyn MemoryEmbedder>, folder: Option<PathBuf>) -> Self {
        let name = format!("vectors-{}.txt", digest(embedder.name().as_bytes()));
        Self {
            file: folder.map(|folder| folder.join(name)),
            embedder,
            known: Arc::default(),
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
        let texts = entries.iter().map(|stored| {
            let text = format!("{}\n{}", stored.entry.title, stored.entry.text);
            text.chars().take(MAX_CHARS).collect::<String>()
        });
        let vectors = self.vectors(texts.collect()).await?;
        let question: String = question.chars().take(MAX_CHARS).collect();
        let question = self.embedder.embed(&[question]).await?;
        let question = question.first().ok_or("the model returned no vector")?;
        let question = quantize(question);
        let similar = vectors.iter().map(|vector| similarity(&question, vector));
        let mut ranked: Vec<(usize, f32)> = similar.enumerate().collect();
        ranked.retain(|(_, similarity)| *similarity >= least);
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        Ok(ranked.into_iter().map(|(at, _)| at).collect())
    }

    /// Returns the vectors of texts; those that are not known are asked for, and stored.
    async fn vectors(&self, texts: Vec<String>) -> Result<Vec<Arc<[i8]>>, EmbedError> {
        let mut known = self.load().await;
        let keys: Vec<String> = texts.iter().map(|text| digest(text.as_bytes())).collect();
        let missing = keys
            .iter()
            .zip(&texts)
            .filter(|(key, _)| !known.contains_key(*key));
        let missing: Vec<(String, String)> = missing
            .map(|(key, text)| (key.clone(), text.clone()))
            .collect();
        for batch in missing.chunks(BATCH) {
            let texts: Vec<String> = batch.iter().map(|(_, text)| text.clone()).collect();
            let vectors = self.embedder.embed(&texts).await?;
            if vectors.len() != texts.len() {
                return Err("the model returned another number of vectors than of texts".into());
            }
            for ((key, _), vector) in batch.iter().zip(&vectors) {
                known.insert(key.clone(), quantize(vector));
            }
        }
        let found = keys
            .iter()
            .filter_map(|key| known.get(key).cloned())
            .collect();
        if !missing.is_empty() {
            // What belongs to no entry any more is not stored again.
            known.retain(|key, _| keys.contains(key));
            self.store(known).await;
        }
        Ok(found)
    }

    async fn load(&self) -> KnownVectors {
        if let Some(known) = &*self.known.lock() {
            return known.clone();
        }
        let Some(file) = self.file.clone() else {
            return KnownVectors::new();
        };
        let read = tokio::task::spawn_blocking(move || {
            bounded_read::read_if_exists(&file, MAX_FILE_BYTES)
                .ok()
                .flatten()
        });
        let content = read.await.ok().flatten().unwrap_or_default();
        let text = String::from_utf8(content).unwrap_or_default();
        let known: KnownVectors = text.lines().filter_map(parse_line).collect();
        *self.known.lock() = Some(known.clone());
        known
    }

    async fn store(&self, known: KnownVectors) {
        *self.known.lock() = Some(known.clone());
        let Some(file) = self.file.clone() else {
            return;
        };
        let written = tokio::task::spawn_blocking(move || {
            let lines: String = known
                .iter()
                .map(|(key, vector)| line(key, vector))
                .collect();
            private_files::create_folder(file.parent().unwrap_or(&file))?;
            AtomicFile::new(&file, FilePermissions::OwnerOnly)
                .without_sync()
                .replace(&[lines.as_bytes()])
        });
        if let Ok(Err(error)) = written.await {
            tracing::warn!(%error, "the vectors of the memory are not stored");
        }
    }
}

/// Scales a vector to the length 1, and its numbers to a byte each.
fn quantize(vector: &[f32]) -> Arc<[i8]> {
    let length = vector
        .iter()
        .map(|number| number * number)
        .sum::<f32>()
        .sqrt();
    let scale = if length > 0.0 { 127.0 / length } else { 0.0 };
    vector
        .iter()
        .map(|number| (number * scale).round() as i8)
        .collect()
}

/// Returns the cosine of the angle between two vectors; 0 if their lengths differ.
fn similarity(one: &[i8], other: &[i8]) -> f32 {
    if one.len() != other.len() {
        return 0.0;
    }
    let product = one
        .iter()
        .zip(other)
        .map(|(one, other)| i32::from(*one) * i32::from(*other));
    product.sum::<i32>() as f32 / (127.0 * 127.0)
}

/// Renders a vector in hexadecimal digits.
fn line(key: &str, vector: &[i8]) -> String {
    let digits: String = vector
        .iter()
        .map(|number| format!("{:02x}", *number as u8))
        .collect();
    format!("{key} {digits}\n")
}

fn parse_line(line: &str) -> Option<(String, Arc<[i8]>)> {
    let (key, digits) = line.split_once(' ')?;
    let digits = digits.as_bytes().chunks(2);
    let numbers = digits.map(|pair| {
        let pair = std::str::from_utf8(pair).ok()?;
        Some(u8::from_str_radix(pair, 16).ok()? as i8)
    });
    Some((key.to_owned(), numbers.collect::<Option<Arc<[i8]>>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_compared_by_their_direction_and_survive_their_line() {
        let (one, other) = (quantize(&[3.0, 4.0, 0.0]), quantize(&[6.0, 8.0, 0.0]));
        assert!(similarity(&one, &other) > 0.99);
        assert!(similarity(&one, &quantize(&[-4.0, 3.0, 0.0])).abs() < 0.02);
        assert_eq!(similarity(&one, &quantize(&[1.0])), 0.0);
        assert_eq!(similarity(&one, &quantize(&[0.0, 0.0, 0.0])), 0.0);
        let text = line("k", &quantize(&[-1.0, 0.5]));
        assert_eq!(
            parse_line(text.trim_end()),
            Some(("k".to_owned(), quantize(&[-1.0, 0.5])))
        );
        assert_eq!(parse_line("k zz"), None);
        assert_eq!(parse_line("k"), None);
    }
}
