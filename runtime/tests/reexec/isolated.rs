//! The isolated sandbox through its front door.

#![allow(clippy::unwrap_used, reason = "tests panic")]

mod cases;
pub(crate) mod world;

use libtest_mimic::Trial;

pub(crate) fn tests() -> Vec<Trial> {
    world::trials("isolated", cases::all())
}
