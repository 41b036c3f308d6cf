//! What runs later, holds secrets, or steers an agent later: one table for the sandbox, the file tools, the analysis of shell
//! commands and `doctor`.
//!
//! A pattern is names in a row, with `*` within a name; a `/` at its end makes it a folder, with all in it, and a `/` at its
//! start a place of the machine. An exception begins with `!`, and stands behind what it is an exception of.

mod row;
mod table;

use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

pub use row::{CommandRule, Depth, Guard, Row, is_named};
pub use table::rows;

/// Returns the names of the rows with a rule for commands, as a sandbox takes them: relative to a writable folder.
pub fn in_commands(rule: CommandRule) -> impl Iterator<Item = &'static str> {
    let rows = rows().filter(move |row| row.in_commands == rule);
    rows.map(Row::name)
}

/// Returns how deep a name holds that commands may not change; nothing of a name that the table does not have.
pub fn depth_in_commands(name: &str) -> Option<Depth> {
    static DEPTHS: LazyLock<HashMap<&str, Depth>> = LazyLock::new(|| {
        let rows = rows().filter(|row| row.in_commands == CommandRule::ReadOnly);
        rows.map(|row| (row.name(), row.depth)).collect()
    });
    DEPTHS.get(name).copied()
}

/// Returns the names that the files of this machine refuse whatever anybody answers.
pub fn denied_names() -> impl Iterator<Item = &'static str> {
    let rows = rows().filter(|row| row.reading == Guard::Never);
    rows.map(Row::name)
}

/// Finds the row that says what commands may do with a path, by the last names of the path.
pub fn find_for_commands(path: &Path) -> Option<&'static Row> {
    rows().find(|row| row.in_commands != CommandRule::Open && row.ends(path))
}

/// Returns the rules whose changes are reported.
pub fn with_watch() -> impl Iterator<Item = &'static Row> {
    rows().filter(|row| row.in_commands == CommandRule::Told)
}

/// Finds the row because of which a change of a path is reported, by the names at its end, or at the end of a folder
/// above it.
pub fn find_watched(path: &Path) -> Option<&'static Row> {
    with_watch().find(|row| {
        let is_folder = row.pattern.ends_with('/');
        let mut places = path
            .ancestors()
            .take(if is_folder { usize::MAX } else { 1 });
        places.any(|place| row.ends(place))
    })
}
