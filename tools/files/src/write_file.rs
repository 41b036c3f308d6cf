//! `write_file`: writes a whole file.

use helve::prelude::*;
use helve::sandbox::{Change, WriteCondition};

use super::change::{self, FileEdit};
use super::text::with_line_breaks_of;
use super::{name, permission};

/// Writes a whole file, and makes the folders on its way.
///
/// A file that exists has to be read with `read_file` first and must not have changed since; its encoding and line ends
/// stay. Use `edit_file` or `apply_patch` to change parts of a file.
#[tool(
    always,
    title = "Write file",
    idempotent,
    requires(fs),
    check = permission::check_write,
    match_rule = permission::match_write,
    suggest_rules = permission::suggest_write
)]
pub async fn write_file(
    /// Path of the file, relative to the working folder or absolute.
    #[arg(min_len = 1, example = "src/main.rs")]
    path: &str,
    /// The whole new content of the file.
    content: &str,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let path = name::resolve_path(cx, path);
    let shown = name::display_path(&path);
    let Some(place) = change::find(cx.fs()?, &path).await? else {
        let write = Change::Write {
            path: path.clone(),
            bytes: change::check_size(&path, content.as_bytes().to_vec())?,
            condition: WriteCondition::Absent,
        };
        change::apply(cx, vec![write]).await?;
        let lines = name::count(content.lines().count(), "line");
        let edited = FileEdit {
            path,
            before: None,
            after: Some(content.to_owned()),
        };
        let summary = match cx.is_dry_run() {
            true => format!("would create `{shown}`, {lines}"),
            false => format!("created `{shown}`, {lines}"),
        };
        return Ok(change::report(cx, summary, &[edited]));
    };
    if !cx.files_seen().contains(&place) {
        // Opening anything but a file returns a suitable error.
        cx.fs()?.open(&path).await?;
        return Err(ToolError::failed(format!(
            "`{shown}` exists and was not read in this conversation; read it with `read_file` before you write it, or use \
             another path"
        )));
    }
    let existing = change::open(cx, &path).await?;
    let content = with_line_breaks_of(&existing.text.text, content);
    if *content == existing.text.text {
        return Ok(ToolOutput::plain(format!(
            "no change: `{shown}` has this content already"
        )));
    }
    let write = Change::Write {
        path: path.clone(),
        bytes: existing.encode(&path, &content)?,
        condition: existing.unchanged_condition(),
    };
    change::apply(cx, vec![write]).await?;
    let summary = match cx.is_dry_run() {
        true => format!("would write `{shown}`"),
        false => format!("wrote `{shown}`"),
    };
    let edited = FileEdit {
        path,
        before: Some(existing.text.text),
        after: Some(content.into_owned()),
    };
    Ok(change::report(cx, summary, &[edited]))
}
