//! A rule about one line.

use super::Severity;
use super::file_facts::FileFacts;
use super::line::{FileKind, Line};

/// A rule about one line of a file.
pub(super) struct Rule {
    /// The stable name.
    pub(super) name: &'static str,
    pub(super) severity: Severity,
    /// Which kinds of file it is about.
    pub(super) kinds: fn(FileKind) -> bool,
    /// What it is.
    pub(super) message: &'static str,
    /// What to do about it.
    pub(super) help: &'static str,
    pub(super) applies: fn(&Line<'_>, &FileFacts) -> bool,
}
