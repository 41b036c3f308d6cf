//! The files of a rewind: what would be restored is shown, and restored once the user has agreed.

use super::confirm;
use crate::chat::conversation::{Chat, HistoryPosition};
use crate::chat::editor::LineEditor;
use crate::chat::printing::{print_hint, print_rows};
use helve_core::tool::Preview;
use helve_host::file_history::{ChangeSource, EntryState, RewindRow, RowStatus};
use helve_terminal::render::counted;
use helve_terminal::{diff, output, sanitize};

/// The greatest number of rows that are shown.
const MAX_ROWS: usize = 40;

/// The greatest size of a diff whose lines are counted, in bytes.
const MAX_DIFF_BYTES: usize = 60 << 10;

/// Restores the files of a position, once the user has agreed. Returns whether something was restored; `None` if the
/// user does not agree.
pub(super) async fn restore(
    chat: &Chat<'_>,
    editor: &LineEditor,
    at: &HistoryPosition,
    is_alone: bool,
) -> Option<bool> {
    let Some(plan) = chat.plan_files(at).await else {
        print_hint(
            "the history of the files is not there: it was removed, or another process uses it",
        );
        let goes_on = !is_alone && confirm(editor, "Go back with the conversation alone? ").await;
        return goes_on.then_some(false);
    };
    print_plan(chat, &plan.rows).await;
    for note in &plan.notes {
        print_hint(&sanitize::first_line(note, 500));
    }
    let mut rows = plan.rows;
    rows.retain(|row| !matches!(row.status, RowStatus::NotKept(_)));
    leave_changed_elsewhere(editor, &mut rows).await;
    if rows.is_empty() {
        print_hint("there are no files to restore");
        return (!is_alone).then_some(false);
    }
    let entries = if rows.len() == 1 { "entry" } else { "entries" };
    let question = match is_alone {
        true => format!("Restore {} {entries}? ", rows.len()),
        false => format!(
            "Restore {} {entries}, and go back in the conversation? ",
            rows.len()
        ),
    };
    if !confirm(editor, &question).await {
        return None;
    }
    match chat.restore_files(rows).await {
        Ok(report) => {
            for (path, why) in &report.failed {
                let text = format!("not restored: {path}: {why}");
                print_hint(&sanitize::first_line(&text, 500));
            }
            print_hint(&format!("{} restored", counted(report.restored, "path")));
            Some(report.restored > 0)
        }
        Err(error) => {
            output::error(&error);
            None
        }
    }
}

/// Removes the rows of what something else has changed, too, unless the user agrees to overwrite that.
async fn leave_changed_elsewhere(editor: &LineEditor, rows: &mut Vec<RewindRow>) {
    let changed = |row: &RewindRow| row.status == RowStatus::ChangedElsewhere;
    let count = rows.iter().filter(|row| changed(row)).count();
    if count == 0 {
        return;
    }
    let question = format!(
        "{} also changed by you or another program. Overwrite these changes? ",
        were(count)
    );
    if !confirm(editor, &question).await {
        rows.retain(|row| !changed(row));
    }
}

fn were(count: usize) -> String {
    if count == 1 {
        "1 of these was".to_owned()
    } else {
        format!("{count} of these were")
    }
}

async fn print_plan(chat: &Chat<'_>, rows: &[RewindRow]) {
    let mut shown = Vec::new();
    for row in rows.iter().take(MAX_ROWS) {
        let (now, then) = chat.compared_contents(row).await;
        let mut about = describe(row, now.as_deref(), then.as_deref());
        for by in &row.by {
            if let ChangeSource::Command(line) | ChangeSource::Background(line) = by {
                about.push_str(&format!(
                    " · changed while `{}` ran",
                    sanitize::first_line(line, 60)
                ));
            }
        }
        match &row.status {
            RowStatus::NotKept(why) => {
                about = format!("left as it is: {}", sanitize::first_line(why, 200));
            }
            RowStatus::ChangedElsewhere => {
                about.push_str(" · also changed by you or another program")
            }
            _ => {}
        }
        shown.push((sanitize::first_line(&row.display, 200), about));
    }
    print_rows(&shown);
    if rows.len() > MAX_ROWS {
        print_hint(&format!("  … and {} more", rows.len() - MAX_ROWS));
    }
}

/// Describes what a rewind does to an entry.
fn describe(row: &RewindRow, now: Option<&[u8]>, then: Option<&[u8]>) -> String {
    match (&row.current, &row.target) {
        (_, EntryState::Absent) => "is removed".to_owned(),
        (EntryState::File { .. }, EntryState::File { .. }) => {
            let modes = describe_modes(row);
            match (now, then) {
                (Some(now), Some(then)) if now == then => modes.unwrap_or_default(),
                (Some(now), Some(then)) => {
                    let counts = describe_difference(now, then);
                    modes.map_or_else(|| counts.clone(), |modes| format!("{counts}, {modes}"))
                }
                _ => "is replaced".to_owned(),
            }
        }
        (EntryState::Folder { .. }, EntryState::Folder { .. }) => {
            describe_modes(row).unwrap_or_default()
        }
        (EntryState::Absent, _) => "is created again".to_owned(),
        _ => "is replaced".to_owned(),
    }
}

fn describe_modes(row: &RewindRow) -> Option<String> {
    let (now, then) = (row.current.mode()?, row.target.mode()?);
    (now != then).then(|| format!("permissions {now:o} to {then:o}"))
}

/// Counts the lines that a rewind adds and removes; the sizes, for what is not text.
fn describe_difference(now: &[u8], then: &[u8]) -> String {
    match (std::str::from_utf8(now), std::str::from_utf8(then)) {
        (Ok(now), Ok(then)) => match Preview::diff("", Some(now), then) {
            // A longer diff is cut.
            Preview::Diff { unified, .. } if unified.len() < MAX_DIFF_BYTES => {
                diff::render_counts(&unified)
            }
            _ => format!("{} to {} lines", now.lines().count(), then.lines().count()),
        },
        _ => format!("{} to {} bytes", now.len(), then.len()),
    }
}
