//! `apply_patch`: changes several files, all or none.

mod hunks;
mod parse;
mod plan;
mod unified;

use helve::permission::paths;
use helve::prelude::*;
use helve::tool::{Check, CheckReport, Coverage, Risk};

use self::parse::{FilePatch, PatchAction, PatchError};
use super::{change, permission};

/// Changes several files with one patch: all of it is done, or nothing.
///
/// ```text
/// *** Begin Patch
/// *** Update File: src/main.rs
/// @@ fn main() {
///      let a = 1;
/// -    let b = 2;
/// +    let b = 3;
/// *** Add File: notes.txt
/// +first line
/// *** Delete File: old.txt
/// *** End Patch
/// ```
///
/// Lines of a hunk begin with a space (stay), `-` (go) or `+` (come), and give enough lines around the change that it is
/// clear which place is meant; behind `@@` a line before the place may stand, such as the head of a function.
/// `*** Move to: path` below an `Update File` line gives the file another path. A unified diff (`diff -u`, git) works too.
#[tool(
    always,
    title = "Apply patch",
    requires(fs),
    risk_with = risk,
    check = check,
    match_rule = covers,
    suggest_rules = suggest
)]
pub async fn apply_patch(
    /// The whole patch.
    #[arg(
        min_len = 1,
        example = "*** Begin Patch\n*** Update File: notes.txt\n@@\n-old\n+new\n*** End Patch"
    )]
    patch: &str,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let files = parse::parse(patch).map_err(|malformed| unreadable(&malformed))?;
    let plan = plan::make(cx, files).await?;
    change::apply(cx, plan.changes).await?;
    Ok(change::report(cx, plan.summary, &plan.edited))
}

fn unreadable(malformed: &PatchError) -> ToolError {
    let PatchError {
        line,
        message: what,
    } = malformed;
    ToolError::failed(format!(
        "the patch cannot be read, at its line {line}: {what}; nothing was changed"
    ))
}

/// Returns the paths that a patch changes.
fn changed_paths(files: &[FilePatch]) -> Vec<&str> {
    let mut paths = Vec::new();
    for file in files {
        paths.push(&*file.path);
        if let PatchAction::Update {
            move_to: Some(to), ..
        } = &file.action
        {
            paths.push(to);
        }
    }
    paths
}

/// Returns the files that a patch changes. An invalid patch has no effect but an error, and needs no approval.
fn check(cx: &ToolContext, patch: &str) -> CheckReport {
    match parse::parse(patch) {
        Ok(files) => permission::edits(cx, changed_paths(&files)),
        Err(_) => Check::ReadOnly.into(),
    }
}

/// Returns the risk of a patch: removing files is riskier than changing them.
fn risk(patch: &str) -> Risk {
    let removes = |file: &FilePatch| matches!(file.action, PatchAction::Delete(_));
    match parse::parse(patch) {
        Ok(files) if files.iter().any(removes) => Risk::High,
        _ => Risk::Medium,
    }
}

/// Matches a rule against every file.
fn covers(cx: &ToolContext, rule: &str, patch: &str) -> Coverage {
    let files = parse::parse(patch).unwrap_or_default();
    let parts = changed_paths(&files).into_iter().flat_map(|path| {
        let covered = paths::covers(cx, rule, path);
        covered.parts().to_vec()
    });
    Coverage::from_parts(parts)
}

/// Suggests rules for the folders of the files.
fn suggest(patch: &str) -> Vec<String> {
    let files = parse::parse(patch).unwrap_or_default();
    let mut folders: Vec<String> = Vec::new();
    for folder in changed_paths(&files).into_iter().filter_map(paths::suggest) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    // A rule for some of the files does not cover the patch: nothing is suggested if there are many folders.
    if folders.len() > 5 {
        folders.clear();
    }
    folders
}
