//! A file of a skill, to be written.

use std::borrow::Cow;

/// One file of a skill, to be written.
#[derive(Debug, Clone)]
pub struct ProjectedFile<'a> {
    /// The path below the skill's folder, with `/`.
    pub path: Cow<'a, str>,
    /// The contents.
    pub bytes: Cow<'a, [u8]>,
    /// The SHA-256 of the contents.
    pub sha256: [u8; 32],
    /// Whether it can be run.
    pub executable: bool,
}

/// The mode of a file.
pub(super) fn mode(file: &ProjectedFile<'_>) -> u32 {
    if file.executable { 0o555 } else { 0o444 }
}
