//! Where a skill comes from, and which of two of one name is used.

use std::fmt;
use std::path::PathBuf;

use helve_catalog::Layer;

/// Where a skill comes from. `Display` says it as a person would: `the project's folder .agents/skills`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SkillOrigin {
    /// It is part of the executable.
    Embedded {
        /// The package that embeds it.
        package: &'static str,
        /// The folder below that package.
        folder: &'static str,
    },
    /// It lies in a folder of the user's.
    User {
        /// The folder of skills.
        folder: PathBuf,
    },
    /// It lies in a folder of the project.
    Project {
        /// The folder of skills.
        folder: PathBuf,
    },
    /// It lies in a folder that the configuration names.
    Folder {
        /// The folder of skills.
        folder: PathBuf,
    },
    /// A server has it.
    Server {
        /// The server's name.
        name: String,
    },
    /// A source of the host's own has it.
    Other(
        /// What the source is called.
        String,
    ),
}

impl SkillOrigin {
    /// Returns whether it is part of the executable.
    #[must_use]
    pub const fn is_embedded(&self) -> bool {
        matches!(self, Self::Embedded { .. })
    }

    /// Returns the layer of its skills: of two skills of one name that of the higher layer is used.
    pub(super) const fn layer(&self) -> Layer {
        match self {
            Self::Project { .. } => Layer::Project,
            Self::User { .. } => Layer::User,
            Self::Folder { .. } => Layer::Configured,
            Self::Embedded { .. } => Layer::Embedded,
            Self::Other(_) => Layer::Host,
            Self::Server { .. } => Layer::Server,
        }
    }
}

impl fmt::Display for SkillOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded { package, folder } => {
                write!(f, "`{folder}` of the package `{package}`")
            }
            Self::User { folder } => write!(f, "the user's folder `{}`", folder.display()),
            Self::Project { folder } => write!(f, "the project's folder `{}`", folder.display()),
            Self::Folder { folder } => write!(f, "the folder `{}`", folder.display()),
            Self::Server { name } => write!(f, "the server `{name}`"),
            Self::Other(name) => write!(f, "`{name}`"),
        }
    }
}
