//! The files of rows, which checkers name relative to different folders.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use helve::prelude::*;
use helve::sandbox::{Exit, FileKind};
use tokio::time::Instant;

use super::{CheckOutcome, command};
use crate::checker::Checker;
use crate::diagnostic::Diagnostic;
use crate::plan::PlannedCheck;

/// The longest time in which cargo names the workspace.
const LOCATE_TIMEOUT: Duration = Duration::from_secs(10);

/// Makes the names of the files of an outcome relative to the root, where they are below it.
pub(super) async fn resolve(
    cx: &ToolContext,
    outcome: &mut CheckOutcome,
    root: &Path,
    until: Instant,
) {
    let is_relative = |row: &Diagnostic| {
        row.file
            .as_deref()
            .is_some_and(|file| Path::new(file).is_relative())
    };
    let mut base = outcome.check.base.clone();
    if outcome.check.checker == Checker::Cargo && outcome.rows.iter().any(is_relative) {
        base = cargo_workspace(cx, &outcome.check, until)
            .await
            .unwrap_or(base);
    }
    // A file that pytest cannot import is named from a folder above, where its settings are.
    let searches = outcome.check.checker == Checker::Pytest;
    let mut shown: HashMap<String, String> = HashMap::new();
    for row in &mut outcome.rows {
        let Some(file) = row.file.take() else {
            continue;
        };
        let name = match shown.get(&file) {
            Some(known) => known.clone(),
            None if searches => display(&search(cx, &file, &base, root).await, root),
            None => display(&base.join(&file), root),
        };
        shown.insert(file, name.clone());
        row.file = Some(name);
    }
}

/// Returns the folder of the workspace of a package, from which the compiler names the files of its members.
async fn cargo_workspace(
    cx: &ToolContext,
    check: &PlannedCheck,
    until: Instant,
) -> Option<PathBuf> {
    let args = ["locate-project", "--workspace", "--message-format", "plain"];
    let args = args.map(str::to_owned);
    let left = until.saturating_duration_since(Instant::now());
    let mut command = command(check, &args, left.min(LOCATE_TIMEOUT));
    command.max_output_bytes = 16 << 10;
    let output = cx.process().run(command).await.ok()?;
    let manifest = String::from_utf8(output.stdout).ok()?;
    let manifest = Path::new(manifest.trim());
    let is_found = output.exit == Exit::Code(0) && manifest.is_absolute();
    is_found.then(|| manifest.parent().map(Path::to_owned))?
}

/// Returns the file of a relative name: the one in the innermost folder from `base` up to the root that has one.
async fn search(cx: &ToolContext, file: &str, base: &Path, root: &Path) -> PathBuf {
    let first = base.join(file);
    let Ok(fs) = cx.fs() else {
        return first;
    };
    if Path::new(file).is_relative() {
        for folder in base
            .ancestors()
            .take_while(|folder| folder.starts_with(root))
        {
            let place = folder.join(file);
            let found = fs.metadata(&place).await;
            if found.is_ok_and(|found| found.kind == FileKind::File) {
                return place;
            }
        }
    }
    first
}

/// Returns the name of a file relative to the root, if the file is below it.
fn display(file: &Path, root: &Path) -> String {
    let parts = file
        .components()
        .filter(|part| !matches!(part, Component::CurDir));
    let absolute: PathBuf = parts.collect();
    let below = absolute.strip_prefix(root).unwrap_or(&absolute);
    below.display().to_string()
}
