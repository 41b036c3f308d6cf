//! The table: all attacks, by what they aim at, and the work that has to go on.

mod files;
mod kernel;
mod limits;
mod network;
mod processes;
mod protected;
mod work;

use crate::escape::case::EscapeCase;

/// Names all cases.
pub(crate) fn all() -> Vec<&'static EscapeCase> {
    let tables: [&'static [EscapeCase]; 9] = [
        files::READ,
        files::WRITE,
        files::MODE,
        protected::CASES,
        processes::CASES,
        kernel::CASES,
        network::CASES,
        limits::CASES,
        work::CASES,
    ];
    tables.into_iter().flatten().collect()
}
