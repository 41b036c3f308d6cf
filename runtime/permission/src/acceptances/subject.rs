//! What an acceptance is of, and whether it holds.

use std::fmt;
use std::path::Path;

use super::AcceptanceError;
use super::AcceptanceKind;

/// What an acceptance is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptanceSubject {
    pub(super) kind: AcceptanceKind,
    /// What it is called where it comes from.
    pub(super) name: String,
    /// Where it comes from, as a person reads it.
    pub(super) origin: String,
    /// What tells two origins apart that read alike.
    pub(super) key: Option<String>,
}

/// Whether a person has accepted what something says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcceptanceState {
    /// They have.
    Accepted,
    /// They have accepted something else that it said.
    Changed,
    /// They have accepted nothing of it.
    Missing,
}

impl AcceptanceSubject {
    /// Names something that is not a file of a project.
    pub fn new(kind: AcceptanceKind, name: impl Into<String>, origin: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            origin: origin.into(),
            key: None,
        }
    }

    /// Adds what tells two origins apart that read alike.
    pub fn with_key(mut self, key: String) -> Self {
        self.key = Some(key);
        self
    }

    /// Names a file by the real path of its project, which is `levels` folders above it.
    ///
    /// A link inside the project is not followed: it could lead to the file of another project, which was accepted for what
    /// is over there.
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

/// Writes why an item that is not accepted is ignored.
impl fmt::Display for AcceptanceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Accepted => "you have accepted it",
            Self::Changed => "it has changed since you accepted it",
            Self::Missing => "you have not accepted it",
        })
    }
}
