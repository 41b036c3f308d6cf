//! `edit_file`: replaces a text in a file.

mod mismatch;
mod replace;

use helve::prelude::*;
use helve::sandbox::Change;

use self::replace::{Replacement, replace};
use super::change::{self, FileEdit};
use super::{name, permission};

/// Replaces text in a file, exactly as it stands there.
///
/// `old_string` has to be in the file once, so give lines around it where it is not, or set `replace_all`. Leave out the
/// line numbers of `read_file`. Line ends and encoding of the file stay. That the change is there already is no error.
#[tool(
    always,
    title = "Edit file",
    idempotent,
    requires(fs),
    check = permission::check_edit,
    match_rule = permission::match_edit,
    suggest_rules = permission::suggest_edit
)]
pub async fn edit_file(
    /// Path of the file, relative to the working folder or absolute.
    #[arg(min_len = 1, example = "src/main.rs")]
    path: &str,
    /// The text to replace, with its spaces, tabs and line breaks.
    #[arg(example = "let a = 1;")]
    old_string: &str,
    /// The text to put in its place.
    #[arg(example = "let a = 2;")]
    new_string: &str,
    /// Whether to replace it wherever it is.
    #[arg(default)]
    replace_all: bool,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    replace::check(old_string, new_string)?;
    let path = name::resolve_path(cx, path);
    let existing = change::open(cx, &path).await?;
    let shown = name::display_path(&path);
    let before = &existing.text.text;
    let replaced = replace(before, old_string, new_string, replace_all, &shown)?;
    let (after, places) = match replaced {
        Replacement::Changed { text, places } => (text, places),
        Replacement::AlreadyApplied { line } => {
            return Ok(ToolOutput::plain(format!(
                "no change: `{shown}` has `new_string` already, at line {line}, and `old_string` nowhere"
            )));
        }
    };
    let write = Change::Write {
        path: path.clone(),
        bytes: existing.encode(&path, &after)?,
        condition: existing.unchanged_condition(),
    };
    change::apply(cx, vec![write]).await?;
    let places = name::count(places, "place");
    let summary = match cx.is_dry_run() {
        true => format!("would change `{shown}` in {places}"),
        false => format!("changed `{shown}` in {places}"),
    };
    let edited = FileEdit {
        path,
        before: Some(existing.text.text),
        after: Some(after),
    };
    Ok(change::report(cx, summary, &[edited]))
}
