//! Dangerous paths: files that are executed later, contain secrets, or configure an agent. The sandbox, the
//! file tools, the analysis of shell commands and `doctor` share this table.
//!
//! A pattern is a sequence of names, with `*` as a wildcard within a name. A `/` at its end makes the pattern
//! a folder, with everything in it; a `/` at its start makes it an absolute path of the machine. An exception
//! begins with `!`, and comes after the row that it is an exception to.

mod row;
mod table;

use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

pub use row::{CommandRule, Depth, Guard, Row, is_named};
pub use table::rows;

/// Returns the patterns of the rows with a rule for commands, as a sandbox takes them: relative to a writable
/// folder.
pub fn in_commands(rule: CommandRule) -> impl Iterator<Item = &'static str> {
    let rows = rows().filter(move |row| row.in_commands == rule);
    rows.map(Row::name)
}

/// Returns the depth to which commands may not change a name; `None` if the table does not contain the name.
pub fn depth_in_commands(name: &str) -> Option<Depth> {
    static DEPTHS: LazyLock<HashMap<&str, Depth>> = LazyLock::new(|| {
        let rows = rows().filter(|row| row.in_commands == CommandRule::ReadOnly);
        rows.map(|row| (row.name(), row.depth)).collect()
    });
    DEPTHS.get(name).copied()
}

/// Returns the names that this machine's file system refuses even if the user approves.
pub fn denied_names() -> impl Iterator<Item = &'static str> {
    let rows = rows().filter(|row| row.reading == Guard::Never);
    rows.map(Row::name)
}

/// Finds the row with the rule for commands that applies to a path, by the last names of the path.
pub fn find_for_commands(path: &Path) -> Option<&'static Row> {
    rows().find(|row| row.in_commands != CommandRule::Open && row.ends(path))
}

/// Finds a row that guards a path or a folder above it, by the last names of each, against being read, written, or changed
/// by commands. Exceptions are not considered. The rows of absolute paths are not searched.
pub fn find_guarded(path: &Path) -> Option<&'static Row> {
    let is_guarding = |row: &&Row| {
        row.reading > Guard::Open
            || row.writing > Guard::Open
            || !matches!(row.in_commands, CommandRule::Open | CommandRule::Told)
    };
    rows()
        .filter(is_guarding)
        .find(|row| path.ancestors().any(|place| row.ends(place)))
}

/// Returns the rows whose changes are reported.
pub fn with_watch() -> impl Iterator<Item = &'static Row> {
    rows().filter(|row| row.in_commands == CommandRule::Told)
}

/// Finds the row that causes a change of a path to be reported, by the last names of the path or of a folder
/// above the path.
pub fn find_watched(path: &Path) -> Option<&'static Row> {
    with_watch().find(|row| {
        let is_folder = row.pattern.ends_with('/');
        let mut places = path
            .ancestors()
            .take(if is_folder { usize::MAX } else { 1 });
        places.any(|place| row.ends(place))
    })
}
