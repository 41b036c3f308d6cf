//! The rows of the table, grouped by the kind of path.

mod machine;
mod runs_later;
mod secrets;
mod steers_agents;

use super::row::Row;

/// Returns all rows. An exception overrides the rows before it, so the secrets, which have exceptions, come
/// first.
pub fn rows() -> impl DoubleEndedIterator<Item = &'static Row> + Clone {
    let parts: [&'static [Row]; 4] = [
        secrets::ROWS,
        runs_later::ROWS,
        steers_agents::ROWS,
        machine::ROWS,
    ];
    parts.into_iter().flatten()
}
