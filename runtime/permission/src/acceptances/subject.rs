//! The subject of an acceptance, and whether the acceptance is valid.

use std::fmt;
use std::path::Path;

use super::AcceptanceError;
use super::AcceptanceKind;

/// The subject of an acceptance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptanceSubject {
    pub(super) kind: AcceptanceKind,
    /// The name of the subject at its origin.
    pub(super) name: String,
    /// The origin, for display.
    pub(super) origin: String,
    /// The key that distinguishes two origins with the same display text.
    pub(super) key: Option<String>,
}

/// Whether the user has accepted the current content of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcceptanceState {
    /// The current content is accepted.
    Accepted,
    /// Other content of the subject was accepted.
    Changed,
    /// No content of the subject was accepted.
    Missing,
}

impl AcceptanceSubject {
    /// Creates a subject that is not a file of a project.
    pub fn new(kind: AcceptanceKind, name: impl Into<String>, origin: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            origin: origin.into(),
            key: None,
        }
    }

    /// Sets the key that distinguishes two origins with the same display text.
    pub fn with_key(mut self, key: String) -> Self {
        self.key = Some(key);
        self
    }

    /// Creates the subject of a file by the real path of its project, which is `levels` folders above the file.
    ///
    /// Links inside the project are not followed: a link could lead to the file of another project, which was accepted
    /// with the content there.
    pub fn from_file(
        kind: AcceptanceKind,
        path: &Path,
        levels: usize,
    ) -> Result<Self, AcceptanceError> {
        let named = std::path::absolute(path).ok().and_then(|absolute| {
            let project = absolute.ancestors().nth(levels)?;
            let name = absolute.strip_prefix(project).ok()?.to_str()?;
            let origin = project.canonicalize().ok()?;
            Some(Self::new(kind, name, origin.to_str()?))
        });
        named.ok_or_else(|| AcceptanceError::InvalidPath {
            path: path.to_owned(),
        })
    }
}

/// Writes the reason why an item that is not accepted is ignored.
impl fmt::Display for AcceptanceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Accepted => "you have accepted it",
            Self::Changed => "it has changed since you accepted it",
            Self::Missing => "you have not accepted it",
        })
    }
}
