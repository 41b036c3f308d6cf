//! The arguments of the tools.

use helve::Check;
use helve::memory::{MemoryKind, MemoryPath, MemoryScope};

/// What `memory` does.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum MemoryCommand {
    /// Shows a file with line numbers, or lists a folder.
    View,
    /// Creates a file.
    Create,
    /// Replaces text in a file.
    StrReplace,
    /// Inserts text after a line.
    Insert,
    /// Deletes a file or a folder.
    Delete,
    /// Renames a file or a folder.
    Rename,
}

/// Whose memory.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum MemoryScopeArgument {
    /// The user, in all projects.
    User,
    /// This project.
    Project,
    /// The team of the user.
    Team,
    /// You alone, in this project.
    Agent,
    /// This session alone.
    Session,
}

impl From<MemoryScopeArgument> for MemoryScope {
    fn from(scope: MemoryScopeArgument) -> Self {
        match scope {
            MemoryScopeArgument::User => Self::User,
            MemoryScopeArgument::Project => Self::Project,
            MemoryScopeArgument::Team => Self::Team,
            MemoryScopeArgument::Agent => Self::Agent,
            MemoryScopeArgument::Session => Self::Session,
        }
    }
}

/// What an entry is about.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum MemoryKindArgument {
    /// The user: preferences, role, knowledge.
    User,
    /// What the user said about your work.
    Feedback,
    /// The project: decisions, deadlines, the state of the work.
    Project,
    /// Where something is found.
    Reference,
    /// Anything else.
    Fact,
}

impl From<MemoryKindArgument> for MemoryKind {
    fn from(kind: MemoryKindArgument) -> Self {
        match kind {
            MemoryKindArgument::User => Self::User,
            MemoryKindArgument::Feedback => Self::Feedback,
            MemoryKindArgument::Project => Self::Project,
            MemoryKindArgument::Reference => Self::Reference,
            MemoryKindArgument::Fact => Self::Fact,
        }
    }
}

/// Decides on a write: the memory of a team is asked about, and what else there is belongs to the user.
pub(crate) fn check_write<'a>(paths: impl IntoIterator<Item = &'a str>) -> Check {
    let mut paths = paths.into_iter();
    match paths.any(is_of_team) {
        true => Check::ask("it changes the memory of the team"),
        false => Check::Allow,
    }
}

/// Reports whether a path or an id, in any spelling, is that of the memory of a team.
fn is_of_team(path: &str) -> bool {
    let below = path.strip_prefix(MemoryPath::ROOT).unwrap_or(path);
    let first = below.split('/').find(|name| !name.is_empty());
    first == Some("team")
}
