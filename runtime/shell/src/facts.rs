//! The facts of a command line: the verdict, the file accesses, and the commands.

/// The report of the analysis of a command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandReport {
    /// The verdict.
    pub check: Check,
    /// The files that the command line reads or writes.
    pub file_accesses: Vec<FileAccess>,
    /// The commands of the command line, in the order of a rule's coverage.
    pub parts: Vec<CommandPart>,
    /// The confinement that the verdict requires of the sandbox.
    pub confinement: Confinement,
}

/// The confinement that a sandbox must enforce for a verdict to be valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Confinement {
    /// No confinement beyond that of other command lines.
    #[default]
    None,
    /// The command line reads files, and must neither write files nor open connections.
    ReadOnly,
}

/// The verdict on a command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Check {
    /// The command line does more than read; rules and modes decide.
    #[default]
    Pass,
    /// The command line only reads.
    ReadOnly,
    /// The command line creates, changes or removes files at these paths, and has no other effect.
    Edit {
        /// The paths, as written in the command line.
        paths: Vec<String>,
    },
    /// A user has to decide.
    Ask {
        /// The reason.
        reason: String,
        /// Whether no rule may answer in place of the user.
        safety: bool,
        /// Whether the call also asks in bypass mode.
        in_bypass: bool,
        /// The command that decides.
        part: Option<String>,
    },
    /// The command line is denied in every mode.
    Deny {
        /// The reason.
        reason: String,
        /// The command that decides.
        part: Option<String>,
    },
}

/// A command of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandPart {
    /// The text of the command.
    pub text: String,
    /// Whether the command only reads, so that it needs no allow rule.
    pub read_only: bool,
}

/// A path that a command line reads or writes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileAccess {
    /// The path as written in the command line: absolute, relative to the working folder, or below `~`.
    pub path: String,
    /// The kind of the access.
    pub kind: AccessKind,
    /// Whether the path is a pattern in which `*`, `?` and `[…]` match names in the file system.
    pub is_pattern: bool,
    /// The command that accesses the path.
    pub part: Option<String>,
}

/// The kind of an access to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// The content or metadata is read.
    Read,
    /// The file is created, changed or removed.
    Write,
    /// The path is an argument of a program whose effect is unknown.
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

    /// Sets the command that accesses the path.
    pub(crate) fn with_part(mut self, part: String) -> Self {
        self.part = Some(part);
        self
    }
}
