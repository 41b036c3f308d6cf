//! Commands that go wrong: each has a clear end, nothing is lost, and memory stays bounded.

mod ends;
mod output;

pub(crate) use output::drain;

use crate::escape::scenarios::EscapeTest;

/// Names all of them.
pub(crate) fn all() -> Vec<EscapeTest> {
    [ends::TESTS, output::TESTS].concat()
}
