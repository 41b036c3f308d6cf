//! Sessions as a table.

use helve_agent::session::SessionSummary;
use helve_storage::timestamp::Timestamp;
use helve_terminal::sanitize;

/// Renders sessions as a table, a session a line.
pub(crate) fn table(list: &[SessionSummary]) -> String {
    let rows: Vec<[String; 5]> = list.iter().map(row).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; 4] = std::array::from_fn(|column| width(column).unwrap_or_default());
    let mut text = String::new();
    for [id, updated, entries, state, title] in &rows {
        let [of_id, of_updated, of_entries, of_state] = widths;
        let line = format!(
            "{id:of_id$}  {updated:of_updated$}  {entries:>of_entries$}  {state:of_state$}  {title}"
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn row(summary: &SessionSummary) -> [String; 5] {
    let state = match (&summary.problem, summary.open) {
        (Some(_), _) => "damaged",
        (None, true) => "open",
        (None, false) => "",
    };
    let entries = match summary.entries {
        1 => "1 entry".to_owned(),
        more => format!("{more} entries"),
    };
    let title = summary.problem.as_ref().or(summary.title.as_ref());
    [
        summary.session.to_string(),
        summary.updated.map(minute).unwrap_or_default(),
        entries,
        state.to_owned(),
        title
            .map(|title| sanitize::first_line(title, 100))
            .unwrap_or_default(),
    ]
}

pub(crate) fn minute(at: Timestamp) -> String {
    let text = at.to_string();
    format!("{} {}", &text[..10], &text[11..16])
}
