//! The isolated sandbox through its front door.

#![allow(clippy::unwrap_used, reason = "tests panic")]

mod cases;
pub(crate) mod fixture;

use libtest_mimic::Trial;

pub(crate) fn tests() -> Vec<Trial> {
    fixture::trials("isolated", cases::all())
}
