//! What is said of a command line: a verdict, the places that it touches, the commands that it has.

/// What the analysis of a command line says of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandReport {
    /// The verdict.
    pub check: Check,
    /// The places that the command line reads or writes.
    pub file_accesses: Vec<FileAccess>,
    /// The commands that it has, in the order of the coverage of a rule.
    pub parts: Vec<CommandPart>,
    /// What the verdict rests on: the command line may run with no more than this.
    pub confinement: Confinement,
}

/// How a command line has to be confined for its verdict to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Confinement {
    /// As any other command line.
    #[default]
    None,
    /// It reads files, and neither writes any nor opens a connection.
    ReadOnly,
}

/// A verdict about a command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Check {
    /// The command line does more than read; rules and modes decide.
    #[default]
    Pass,
    /// It only reads.
    ReadOnly,
    /// It makes, changes or removes files at these places, and does nothing else.
    Edit {
        /// The places, as the command line names them.
        paths: Vec<String>,
    },
    /// A person has to decide.
    Ask {
        /// Why.
        reason: String,
        /// Whether no rule may answer in the person's place.
        safety: bool,
        /// Whether a mode that asks about nothing else asks, too.
        in_bypass: bool,
        /// The command that decides.
        part: Option<String>,
    },
    /// No mode runs it.
    Deny {
        /// Why.
        reason: String,
        /// The command that decides.
        part: Option<String>,
    },
}

/// A command of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandPart {
    /// How it is written.
    pub text: String,
    /// Whether it only reads, so that no allow rule has to cover it.
    pub read_only: bool,
}

/// A place in the file system that a command line reads or writes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileAccess {
    /// The path as the command line names it: absolute, relative to the working folder, or below `~`.
    pub path: String,
    /// What is done there.
    pub kind: AccessKind,
    /// Whether the path is a pattern in which `*`, `?` and `[…]` stand for what the file system has.
    pub is_pattern: bool,
    /// The command that does it.
    pub part: Option<String>,
}

/// What is done at a place in the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// Something of it is looked at.
    Read,
    /// It is made, changed or removed.
    Write,
    /// It is an argument of a program whose effect on it is unknown.
    Unknown,
}

impl FileAccess {
    pub(crate) fn read(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            kind: AccessKind::Read,
            is_pattern: false,
            part: None,
        }
    }

    pub(crate) fn write(path: impl Into<String>) -> Self {
        Self {
            kind: AccessKind::Write,
            ..Self::read(path)
        }
    }

    /// Marks the path as a pattern.
    pub(crate) fn into_pattern(mut self) -> Self {
        self.is_pattern = true;
        self
    }

    /// Names the command that does it.
    pub(crate) fn with_part(mut self, part: String) -> Self {
        self.part = Some(part);
        self
    }
}
