//! `index_folder`: indexes the documents of a folder.

use helve::permission::DangerousPaths;
use helve::prelude::*;
use helve::text_index::{Embeddings, TextIndex};

use super::indexing::{self, FolderUpdate, MAX_FILES, UpdateCut};
use super::meaning;
use super::place::DocumentPlace;
use crate::grep::dangerous_files::DangerousFileFilter;
use crate::permission;
use crate::stop_token::StopSource;

/// Indexes the text of the files in a folder, so that `search_documents` finds passages by what they are about.
///
/// Reads Markdown, plain text, source code and PDF documents, and passes over hidden files, what `.gitignore` names, and
/// files that may contain secrets. A later call reads only what has changed.
#[tool(
    read_only,
    concurrency = "exclusive",
    title = "Index a folder",
    requires(fs),
    timeout = "5m",
    check = permission::check_index,
    match_rule = permission::match_index,
    suggest_rules = permission::suggest_index,
    examples = [r#"{"path": "docs"}"#]
)]
pub async fn index_folder(
    /// Folder to index, relative to the working folder or absolute.
    #[arg(default = ".", example = "docs")]
    path: &str,
    dangerous: Option<&DangerousPaths>,
    index: &TextIndex,
    embeddings: Option<&Embeddings>,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let filter = DangerousFileFilter::new(dangerous, path, None, cx);
    let place = DocumentPlace::find(cx, path, index).await?;
    let watch = StopSource::new(cx);
    let update = indexing::update(cx, &place, filter, &watch).await?;
    let mut text = report(&place.start.display, &update);
    if let Some(embeddings) = embeddings {
        let vectors = meaning::embed(cx, embeddings, &place, dangerous, &watch).await?;
        text.push('\n');
        text.push_str(&vectors.render());
    }
    Ok(ToolOutput::plain(text))
}

fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

fn report(name: &str, update: &FolderUpdate) -> String {
    let FolderUpdate {
        files,
        changed,
        passages,
        removed,
        skipped,
        ..
    } = update;
    let mut text = format!(
        "`{name}` is indexed: {}, of which {changed} {} new or changed ({}), and {removed} {} removed.",
        counted(*files, "file"),
        if *changed == 1 { "is" } else { "are" },
        counted(*passages, "passage"),
        if *removed == 1 { "was" } else { "were" },
    );
    let rest = match update.cut {
        None => None,
        Some(UpdateCut::Time) => {
            Some("Call `index_folder` again to go on, or index a smaller folder.".to_owned())
        }
        Some(UpdateCut::Files) => Some(format!(
            "More than {MAX_FILES} files of a folder are not indexed: index a smaller folder."
        )),
    };
    if let Some(rest) = rest {
        text = format!(
            "`{name}` is indexed in part: {} so far, of which {changed} {} new or changed ({}). {rest}",
            counted(*files, "file"),
            if *changed == 1 { "is" } else { "are" },
            counted(*passages, "passage"),
        );
    }
    if *skipped > 0 {
        let more = if *skipped > update.reasons.len() {
            ", …"
        } else {
            ""
        };
        text.push_str(&format!(
            "\nNot indexed: {skipped} ({}{more})",
            update.reasons.join(", ")
        ));
    }
    text
}
