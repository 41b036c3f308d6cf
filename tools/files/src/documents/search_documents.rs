//! `search_documents`: finds passages of indexed documents.

use std::collections::BTreeSet;

use helve::permission::DangerousPaths;
use helve::prelude::*;
use helve::sandbox::FileKind;
use helve::text_index::Collection;
use helve::text_index::{Embeddings, TextHit, TextIndex};
use serde_json::Value;

use super::document_file;
use super::indexing;
use super::meaning;
use super::place::{DocumentPlace, with_index};
use crate::grep::dangerous_files::DangerousFileFilter;
use crate::name;
use crate::permission;

/// How often changed files are indexed again for a search. Passages of files that have changed then are left out.
const MAX_ROUNDS: usize = 5;

/// The most passages of one file.
const MAX_OF_A_FILE: usize = 3;

/// Finds the passages of the indexed documents of a folder that match a question best.
///
/// Words are matched by their stems, identifiers by their parts, and a phrase in quotation marks as it stands. With an embedding
/// model, passages of a similar meaning are found, too. Index the folder first with `index_folder`. To find exact text or a pattern, use `grep`.
#[tool(
    read_only,
    title = "Search documents",
    requires(fs),
    timeout = "30s",
    max_result_chars = 24_000,
    check = permission::check_documents,
    match_rule = permission::match_documents,
    suggest_rules = permission::suggest_documents,
    examples = [r#"{"query": "how are releases deployed", "path": "docs"}"#]
)]
pub async fn search_documents(
    /// The question: words, and phrases in quotation marks.
    #[arg(min_len = 1, max_len = 500, example = "how are releases deployed")]
    query: &str,
    /// Folder or file to search, relative to the working folder or absolute.
    #[arg(default = ".")]
    path: &str,
    /// How many passages to return.
    #[arg(default = 6, min = 1, max = 30)]
    limit: usize,
    dangerous: Option<&DangerousPaths>,
    index: &TextIndex,
    embeddings: Option<&Embeddings>,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let filter = DangerousFileFilter::new(dangerous, path, None, cx);
    let place = DocumentPlace::find(cx, path, index).await?;
    let search = PassageSearch {
        place: &place,
        filter: &filter,
        embeddings,
    };
    let (mut hits, mut note) = search.find(query, limit).await?;
    let mut rounds = 0;
    // The next call of `index_folder` makes the vectors of what has changed.
    loop {
        let changed = changed_sources(cx, &place, &hits).await?;
        if changed.is_empty() {
            break;
        }
        if rounds == MAX_ROUNDS {
            hits.retain(|hit| !changed.contains(&hit.document.source));
            break;
        }
        rounds += 1;
        for source in &changed {
            indexing::refresh(cx, &place, source).await?;
        }
        (hits, note) = search.find(query, limit).await?;
    }
    if hits.is_empty() {
        let indexed = with_index(&place.collection, Collection::positions).await?;
        if !indexed.iter().any(|position| place.holds(&position.source)) {
            return Err(ToolError::failed(format!(
                "`{}` is not indexed; call `index_folder` with this path first",
                place.start.display
            )));
        }
    }
    let output = ToolOutput::plain(report(&place, query, &hits));
    Ok(match note {
        Some(note) => output.with_note(note),
        None => output,
    })
}

/// A search in a place.
struct PassageSearch<'a> {
    place: &'a DocumentPlace,
    filter: &'a DangerousFileFilter,
    embeddings: Option<&'a Embeddings>,
}

impl PassageSearch<'_> {
    /// Finds the best passages, of which each file has some at most, and says if they were found by words alone although the app
    /// has an embedding model.
    async fn find(
        &self,
        question: &str,
        limit: usize,
    ) -> Result<(Vec<TextHit>, Option<String>), ToolError> {
        let place = self.place;
        let mut query = meaning::all_of(place);
        question.clone_into(&mut query.text);
        query.limit = limit * 4 + 16;
        let by_words = query.clone();
        let mut found = with_index(&place.collection, move |collection| {
            collection.search(&by_words)
        })
        .await?;
        let mut note = None;
        if let Some(embeddings) = self.embeddings {
            (found, note) = meaning::add_by_meaning(embeddings, place, &query, found).await;
        }
        let mut hits: Vec<TextHit> = Vec::new();
        for hit in found {
            let source = &hit.document.source;
            // A file that may contain secrets was indexed by its name, and is searched by its name alone.
            let is_shut = self.filter.holds(&place.root.join(source), FileKind::File);
            let of_file = hits.iter().filter(|other| other.document.source == *source);
            if of_file.count() < MAX_OF_A_FILE && place.holds(source) && !is_shut {
                hits.push(hit);
            }
            if hits.len() == limit {
                break;
            }
        }
        Ok((hits, note))
    }
}

/// Returns the files of hits that have changed since they were indexed, or can no longer be read.
async fn changed_sources(
    cx: &ToolContext,
    place: &DocumentPlace,
    hits: &[TextHit],
) -> Result<BTreeSet<String>, ToolError> {
    let sources: BTreeSet<String> = hits.iter().map(|hit| hit.document.source.clone()).collect();
    let paths = sources
        .iter()
        .map(|source| place.root.join(source))
        .collect();
    let found = cx.fs()?.metadata_each(paths).await?;
    let names: Vec<String> = sources.iter().cloned().collect();
    let indexed = with_index(&place.collection, move |collection| {
        names
            .iter()
            .map(|name| collection.position(name))
            .collect::<Result<Vec<_>, _>>()
    });
    let indexed = indexed.await?;
    let states = sources.into_iter().zip(found).zip(indexed);
    let changed = states.filter(|((_, found), indexed)| {
        let stamp = found
            .as_ref()
            .ok()
            .filter(|found| found.kind == FileKind::File);
        let stamp = stamp.map(document_file::stamp);
        stamp.is_none() || stamp != indexed.as_ref().map(|indexed| indexed.stamp.clone())
    });
    Ok(changed.map(|((source, _), _)| source).collect())
}

fn report(place: &DocumentPlace, query: &str, hits: &[TextHit]) -> String {
    let within = &place.start.display;
    let mut text = match hits.len() {
        0 => {
            return format!(
                "No passage in `{within}` matches `{query}`; try other words, or `grep`."
            );
        }
        1 => format!("1 passage in `{within}` matches `{query}`:"),
        count => format!("{count} passages in `{within}` match `{query}`, the best first:"),
    };
    for hit in hits {
        let data: Value = serde_json::from_str(&hit.document.data).unwrap_or_default();
        let (at, headings) = (&data["place"], &data["headings"]);
        let (at, headings) = (
            at.as_str().unwrap_or_default(),
            headings.as_str().unwrap_or_default(),
        );
        let file = place.root.join(&hit.document.source);
        let shown = match place.start.absolute == file {
            true => place.start.display.clone(),
            false => name::display_path(hit.document.source.as_ref()),
        };
        text.push_str(&format!("\n\n{shown}:{at}"));
        if !headings.is_empty() {
            text.push_str(&format!(" ({headings})"));
        }
        text.push('\n');
        text.push_str(&hit.document.text);
    }
    text
}
