//! Folders of skills through the front: what is read, and what is said of everything that is wrong.
#![allow(clippy::unwrap_used, reason = "tests panic")]

mod coverage;
mod files;
mod folders;
mod lenient;
mod limits;
mod links;
mod profiles;
mod properties;
mod symlinks;
mod texts;
mod world;
