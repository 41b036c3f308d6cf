//! Passages by their meaning: with the embedding model of the app, if it has one.

use std::time::{Duration, Instant};

use helve::permission::DangerousPaths;
use helve::prelude::*;
use helve::text_index::{Document, EmbedError, Embeddings, TextHit, TextQuery, fuse_searches};

use super::place::DocumentPlace;
use crate::stop_token::StopSource;

/// How similar to the question a passage is at least that shares no word with it.
const LEAST_SIMILARITY: f32 = 0.2;

/// The time that the vectors of one request may take, after which a search goes by words alone.
const PATIENCE: Duration = Duration::from_secs(12);

/// What became of the vectors of the passages of a folder.
pub(crate) struct VectorReport {
    model: String,
    made: usize,
    /// The number of passages that have no vector.
    missing: u64,
    /// The number of passages that have one.
    all: u64,
    error: Option<EmbedError>,
    /// Whether there are as many vectors as there may be.
    is_full: bool,
}

/// Returns a query for all passages of a place.
pub(crate) fn all_of(place: &DocumentPlace) -> TextQuery {
    let prefix = place.start.relative.to_string_lossy().into_owned();
    TextQuery::default().scope_prefix(prefix)
}

/// Makes the vectors of the passages of a place that have none, until the call is over. Passages of files that may contain
/// secrets are sent to no model, also where a call has named the file.
pub(crate) async fn embed(
    cx: &ToolContext,
    embeddings: &Embeddings,
    place: &DocumentPlace,
    dangerous: Option<&DangerousPaths>,
    watch: &StopSource,
) -> Result<VectorReport, ToolError> {
    let query = all_of(place);
    let wanted = |document: &Document| {
        let file = place.root.join(&document.source);
        place.holds(&document.source) && !is_dangerous(dangerous, &file)
    };
    // A request that has begun is awaited.
    let now = Instant::now();
    let last = cx.deadline().map(|deadline| {
        let left = deadline.into_std().saturating_duration_since(now);
        now + left.saturating_sub(PATIENCE.min(left / 4))
    });
    let goes_on = || last.is_none_or(|last| Instant::now() < last) && watch.check().is_ok();
    let updating = embeddings.update(&place.collection, &query, wanted, goes_on);
    let updated = updating.await;
    watch.check()?;
    let counted = embeddings.count(&place.collection, &query).await;
    let (all, missing) = counted.map_err(std::io::Error::other)?;
    let (update, error) = match updated {
        Ok(update) => (update, None),
        Err(error) => (Default::default(), Some(error)),
    };
    Ok(VectorReport {
        model: embeddings.model().to_owned(),
        made: update.made,
        missing,
        all,
        error,
        is_full: all + 64 > Embeddings::MAX_DOCUMENTS,
    })
}

fn is_dangerous(dangerous: Option<&DangerousPaths>, file: &std::path::Path) -> bool {
    dangerous.is_some_and(|dangerous| dangerous.find(&file.to_string_lossy()).is_some())
}

impl VectorReport {
    /// Describes what was done, in a line.
    pub(crate) fn render(&self) -> String {
        let Self {
            model,
            made,
            missing,
            all,
            ..
        } = self;
        if let Some(error) = &self.error {
            return format!(
                "The embedding model `{model}` failed: {error}. By their words alone: {missing} passages; a later call of \
                 `index_folder` tries again."
            );
        }
        let mut text = format!("By their meaning, too: {all} passages ({made} new, by `{model}`)");
        match (missing, self.is_full) {
            (0, _) => text.push('.'),
            (_, true) => text.push_str(&format!(
                "; by their words alone: {missing}, since at most {} have a vector.",
                Embeddings::MAX_DOCUMENTS
            )),
            (_, false) => text.push_str(&format!("; by their words alone: {missing}.")),
        }
        text
    }
}

/// Fuses the passages that a search found by words with those that the model finds by their meaning. If it fails, those by words
/// are returned, with a note that says so.
pub(crate) async fn add_by_meaning(
    embeddings: &Embeddings,
    place: &DocumentPlace,
    query: &TextQuery,
    by_words: Vec<TextHit>,
) -> (Vec<TextHit>, Option<String>) {
    let searching = embeddings.search(&place.collection, query, LEAST_SIMILARITY);
    let found = match tokio::time::timeout(PATIENCE, searching).await {
        Ok(found) => found,
        Err(_) => Err(format!("no answer within {} s", PATIENCE.as_secs()).into()),
    };
    match found {
        Ok(by_meaning) => {
            let key = |hit: &TextHit| hit.document.key.clone();
            let fused = fuse_searches(by_words, by_meaning, query.limit, key);
            (fused.into_iter().map(|(hit, _)| hit).collect(), None)
        }
        Err(error) => {
            let model = embeddings.model();
            let note =
                format!("[found by words alone: the embedding model `{model}` failed: {error}]");
            (by_words, Some(note))
        }
    }
}
