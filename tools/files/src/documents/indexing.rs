//! Brings the index of a folder up to date.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use futures_util::StreamExt as _;
use helve::prelude::*;
use helve::sandbox::{FileKind, Metadata};
use helve::text_index::Collection;
use helve::text_index::{Applied, Document, IndexBatch, SourcePosition, TextIndexError};

use super::document_file::{self, DocumentContent, FilePassage};
use super::place::{DocumentPlace, with_index};
use crate::grep::dangerous_files::DangerousFileFilter;
use crate::grep::walk::{Walk, WalkEntry, WalkOptions, into_stream};
use crate::stop_token::StopSource;

/// The number of files whose metadata is read at once.
const BATCH: usize = 128;

/// The greatest number of files of a folder.
pub(crate) const MAX_FILES: usize = if cfg!(test) { 100 } else { 50_000 };

/// The greatest length of the path of a file, in bytes: the key of each of its passages begins with it.
const MAX_PATH_BYTES: usize = 1_000;

/// The number of files whose names are shown that were not indexed.
const MAX_SHOWN: usize = 5;

/// The greatest length of a reason, and of a name that is shown with it, in characters.
const MAX_REASON_CHARS: usize = 200;

/// What was done to the index.
#[derive(Debug, Default)]
pub(crate) struct FolderUpdate {
    /// The number of files that are indexed.
    pub(crate) files: usize,
    pub(crate) changed: usize,
    pub(crate) passages: usize,
    pub(crate) removed: usize,
    pub(crate) skipped: usize,
    /// The first files that are not indexed, with the reasons.
    pub(crate) reasons: Vec<String>,
    /// Why the update ended before the end of the folder.
    pub(crate) cut: Option<UpdateCut>,
    /// The number of files that were read.
    read: usize,
    /// Whether a file that takes all the time of the update is not read again.
    gives_up: bool,
}

/// Why an update ended before the end of its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UpdateCut {
    /// The time of the call was over.
    Time,
    /// There are more files than a folder may have.
    Files,
}

/// A file that is found in a folder.
struct FoundFile {
    path: PathBuf,
    source: String,
    metadata: Metadata,
}

/// Updates the index of the files of a place.
pub(crate) async fn update(
    cx: &ToolContext,
    place: &DocumentPlace,
    filter: DangerousFileFilter,
    watch: &StopSource,
) -> Result<FolderUpdate, ToolError> {
    let mut update = FolderUpdate {
        gives_up: true,
        ..FolderUpdate::default()
    };
    let mut known = positions(place).await?;
    let fs = cx.fs()?;
    let files = match fs.metadata(&place.start.absolute).await?.kind {
        FileKind::Directory => {
            let walk = Walk::new(fs, &place.start, None, filter, WalkOptions::default()).await?;
            into_stream(walk)
        }
        _ => {
            let start = &place.start;
            let metadata = fs.metadata(&start.absolute).await?;
            let file = found_file(place, start.absolute.clone(), metadata);
            index_file(cx, place, &mut known, file, &mut update, watch).await?;
            return Ok(update);
        }
    };
    let mut batches = std::pin::pin!(files.ready_chunks(BATCH));
    while let Some(entries) = batches.next().await {
        for file in describe(cx, place, entries, &mut update).await? {
            watch.check()?;
            if update.files >= MAX_FILES {
                update.cut = Some(UpdateCut::Files);
            } else if watch.is_over() {
                update.cut = Some(UpdateCut::Time);
            } else {
                index_file(cx, place, &mut known, file, &mut update, watch).await?;
            }
            if update.cut.is_some() {
                return Ok(update);
            }
        }
    }
    remove(place, known, &mut update).await?;
    Ok(update)
}

/// Indexes one file again, and removes it where it is gone.
pub(crate) async fn refresh(
    cx: &ToolContext,
    place: &DocumentPlace,
    source: &str,
) -> Result<(), ToolError> {
    let mut known: BTreeMap<_, _> = positions(place).await?;
    known.retain(|name, _| name == source);
    let path = place.root.join(source);
    let mut update = FolderUpdate::default();
    match cx.fs()?.metadata(&path).await {
        Ok(metadata) if metadata.kind == FileKind::File => {
            let (file, watch) = (found_file(place, path, metadata), StopSource::new(cx));
            index_file(cx, place, &mut known, file, &mut update, &watch).await
        }
        _ => remove(place, known, &mut update).await,
    }
}

/// Returns the positions of the files of a place.
async fn positions(place: &DocumentPlace) -> Result<BTreeMap<String, SourcePosition>, ToolError> {
    let positions = with_index(&place.collection, Collection::positions).await?;
    let own = positions
        .into_iter()
        .filter(|position| place.holds(&position.source));
    Ok(own
        .map(|position| (position.source.clone(), position))
        .collect())
}

fn found_file(place: &DocumentPlace, path: PathBuf, metadata: Metadata) -> FoundFile {
    FoundFile {
        source: place.source(&path),
        path,
        metadata,
    }
}

/// Reads the metadata of the files of a walk, and notes what cannot be read.
async fn describe(
    cx: &ToolContext,
    place: &DocumentPlace,
    entries: Vec<WalkEntry>,
    update: &mut FolderUpdate,
) -> Result<Vec<FoundFile>, ToolError> {
    let mut paths = Vec::new();
    for entry in entries {
        match entry {
            WalkEntry::File(path, _) if document_file::is_generated(&path) => {}
            WalkEntry::File(path, _) => paths.push(path),
            WalkEntry::Unreadable(name, reason) => skip(update, &name, &reason),
        }
    }
    let found = cx.fs()?.metadata_each(paths.clone()).await?;
    let files = paths.into_iter().zip(found);
    let files = files.filter_map(|(path, found)| Some(found_file(place, path, found.ok()?)));
    Ok(files.collect())
}

/// Indexes a file, unless it is indexed as it is. One that has no passages is noted, too, so that it is not read again.
async fn index_file(
    cx: &ToolContext,
    place: &DocumentPlace,
    known: &mut BTreeMap<String, SourcePosition>,
    file: FoundFile,
    update: &mut FolderUpdate,
    watch: &StopSource,
) -> Result<(), ToolError> {
    if file.source.len() > MAX_PATH_BYTES {
        skip(update, &file.source, "its path is too long");
        return Ok(());
    }
    let stamp = document_file::stamp(&file.metadata);
    let indexed = known.remove(&file.source);
    let noted = indexed
        .as_ref()
        .and_then(|indexed| indexed.stamp.strip_prefix(&stamp));
    if noted == Some("") {
        update.files += 1;
        return Ok(());
    }
    if let Some(reason) = noted.and_then(|rest| rest.strip_prefix(' ')) {
        skip(update, &file.source, reason);
        return Ok(());
    }
    update.read += 1;
    let (passages, reason) = match document_file::read(cx, &file.path, watch).await? {
        DocumentContent::Passages(passages) => (passages, None),
        DocumentContent::Skipped(reason) => (Vec::new(), Some(reason)),
        DocumentContent::Unreadable(reason) => {
            skip(update, &file.source, &reason);
            // It may have been a text before.
            let before = indexed.map(|indexed| (indexed.source.clone(), indexed));
            return remove(place, before.into_iter().collect(), update).await;
        }
        DocumentContent::Cut => {
            update.cut = Some(UpdateCut::Time);
            if !update.gives_up || update.read > 1 {
                return Ok(());
            }
            // It would take the time of every later call.
            (Vec::new(), Some("it takes too long to read".to_owned()))
        }
    };
    let prepared = prepare(&file, indexed.as_ref(), &passages, reason);
    let (batch, reason) = prepared
        .or_else(|error| prepare(&file, indexed.as_ref(), &[], Some(error.to_string())))
        .map_err(std::io::Error::other)?;
    match reason {
        None => {
            update.files += 1;
            update.passages += passages.len();
        }
        Some(reason) => skip(update, &file.source, &reason),
    }
    update.changed += usize::from(!passages.is_empty() || indexed.is_some());
    apply(place, batch).await
}

/// Prepares the change of the index for a file, and returns it with the reason why the file has no passages. The stamp of such a
/// file has the reason.
fn prepare(
    file: &FoundFile,
    indexed: Option<&SourcePosition>,
    passages: &[FilePassage],
    reason: Option<String>,
) -> Result<(IndexBatch, Option<String>), TextIndexError> {
    let reason = reason.or_else(|| passages.is_empty().then(String::new));
    let mut stamp = document_file::stamp(&file.metadata);
    if let Some(reason) = &reason {
        stamp.push(' ');
        stamp.extend(reason.chars().take(MAX_REASON_CHARS));
    }
    let mut batch = IndexBatch::new();
    if indexed.is_some() {
        batch.remove_source(&*file.source);
    }
    for (number, passage) in passages.iter().enumerate() {
        batch.put(document(&file.source, number, passage))?;
    }
    let from = indexed.map(|indexed| indexed.position);
    batch.advance(&*file.source, from, file.metadata.len, stamp)?;
    Ok((batch, reason))
}

/// Makes the document of a passage.
fn document(source: &str, number: usize, FilePassage { passage, page }: &FilePassage) -> Document {
    let headings = passage.headings.join(" > ");
    let name = Path::new(source)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let title: String = format!("{name} {headings}").chars().take(1_000).collect();
    let place = match page {
        Some(page) => format!("page {page}"),
        None => format!("{}-{}", passage.first, passage.last),
    };
    let data = serde_json::json!({ "place": place, "headings": headings });
    Document::new(format!("{source}#{number}"), title.trim(), &*passage.text)
        .source(source)
        .scope(source)
        .data(data.to_string())
}

/// Removes files that no longer exist.
async fn remove(
    place: &DocumentPlace,
    gone: BTreeMap<String, SourcePosition>,
    update: &mut FolderUpdate,
) -> Result<(), ToolError> {
    let mut batch = IndexBatch::new();
    for source in gone.into_keys() {
        batch.remove_source(source);
        update.removed += 1;
    }
    apply(place, batch).await
}

/// Changes the index, unless another call has changed the files meanwhile.
async fn apply(place: &DocumentPlace, batch: IndexBatch) -> Result<(), ToolError> {
    let applied = with_index(&place.collection, move |collection| {
        collection.apply(&batch)
    });
    let _: Applied = applied.await?;
    Ok(())
}

/// Notes a file that is not indexed; an empty one has no reason.
fn skip(update: &mut FolderUpdate, name: &str, reason: &str) {
    if reason.is_empty() {
        return;
    }
    update.skipped += 1;
    if update.reasons.len() < MAX_SHOWN {
        let name: String = name.chars().take(MAX_REASON_CHARS).collect();
        update.reasons.push(format!("`{name}` ({reason})"));
    }
}
