//! The origins of skills, and their precedence.

use std::fmt;
use std::path::PathBuf;

use helve_catalog::Layer;

/// The origin of a skill. `Display` renders a phrase: `the project's folder .agents/skills`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SkillOrigin {
    /// The skill is part of the executable.
    Embedded {
        /// The package that embeds the skill.
        package: &'static str,
        /// The folder, relative to that package.
        folder: &'static str,
    },
    /// The skill is in a folder of the user.
    User {
        /// The folder of skills.
        folder: PathBuf,
    },
    /// The skill is in a folder of the project.
    Project {
        /// The folder of skills.
        folder: PathBuf,
    },
    /// The skill is in a folder of the configuration.
    Folder {
        /// The folder of skills.
        folder: PathBuf,
    },
    /// The skill is on a server.
    Server {
        /// The server's name.
        name: String,
    },
    /// The skill is of a custom source.
    Other(
        /// The name of the source.
        String,
    ),
}

impl SkillOrigin {
    /// Returns whether the skill is part of the executable.
    #[must_use]
    pub const fn is_embedded(&self) -> bool {
        matches!(self, Self::Embedded { .. })
    }

    /// Returns the layer of the origin: of two skills with the same name, the one of the higher layer
    /// is used.
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
