//! The table: all attacks, by what they aim at, and the work that has to go on.

mod files;
mod kernel;
mod limits;
mod network;
mod processes;
mod protected;
mod work;

use crate::escape::case::Case;

/// Names all cases.
pub(crate) fn all() -> Vec<&'static Case> {
    let tables: [&'static [Case]; 9] = [
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
