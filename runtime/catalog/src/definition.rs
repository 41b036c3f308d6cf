//! What a catalogue holds, and the layers that it comes from.

use std::fmt;
use std::path::PathBuf;

/// A definition that a [`Catalog`](crate::Catalog) may hold.
pub trait Definition {
    /// What identifies one version of a definition.
    type Digest: PartialEq;

    /// Returns the name, under which one definition is used.
    fn name(&self) -> &str;

    /// Returns the layer that the definition comes from.
    fn layer(&self) -> Layer;

    /// Returns the digest of the content: two definitions of one digest are the same version.
    fn digest(&self) -> Self::Digest;

    /// Returns where the definition is written; `None` where that is no file of this machine.
    fn location(&self) -> Option<Location>;
}

/// Where a definition comes from, the lowest rank first: of two definitions of one name that of the higher layer is
/// used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// A server that the application is connected to.
    Server,
    /// A source of the host application.
    Host,
    /// The executable.
    Embedded,
    /// A folder that the configuration names.
    Configured,
    /// A folder of the user.
    User,
    /// A folder of the project.
    Project,
}

/// A line of a file. `Display` writes `path:line`, as compilers do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}
