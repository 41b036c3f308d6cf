//! Definitions and the layers of a catalogue.

use std::fmt;
use std::path::PathBuf;

/// A definition that a [`Catalog`](crate::Catalog) may hold.
pub trait Definition {
    /// The identity of a version of a definition.
    type Digest: PartialEq;

    /// Returns the name, which is unique among used definitions.
    fn name(&self) -> &str;

    /// Returns the layer of the definition.
    fn layer(&self) -> Layer;

    /// Returns the digest of the content: two definitions with the same digest are the same version.
    fn digest(&self) -> Self::Digest;

    /// Returns the location of the definition; `None` if it is not in a file of this machine.
    fn location(&self) -> Option<Location>;
}

/// The layer of a definition, from the lowest to the highest: of two definitions with the same name, that of the
/// higher layer is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// A server that the application is connected to.
    Server,
    /// A source that the host application provides.
    Host,
    /// The executable.
    Embedded,
    /// A folder from the configuration.
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
