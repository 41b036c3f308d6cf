//! An agent of the catalogue: a specification, and where it comes from.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use helve_catalog::{Definition, Layer, Location};
use helve_permission::acceptances::{
    AcceptanceContent, AcceptanceError, AcceptanceKind, AcceptanceState, AcceptanceSubject,
    Acceptances, ContentEntry, Difference, EntryKind, digest_of_fields,
};
use helve_skill_format::{AgentProblem, line_of_name, parse_agent};

use crate::AgentSpec;

/// The origin of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentOrigin {
    /// The code of the app.
    App,
    /// A file that a package embeds: the package, and the path of the file in it.
    Embedded {
        /// The package.
        package: String,
        /// The path.
        path: String,
    },
    /// A file of the user.
    User(PathBuf),
    /// A file of a bundle that the user has installed.
    Bundle(PathBuf),
    /// A file of the project.
    Project(PathBuf),
}

/// An agent of a catalogue.
#[derive(Debug, Clone)]
pub struct NamedAgent(Arc<AgentDefinition>);

#[derive(Debug)]
struct AgentDefinition {
    spec: AgentSpec,
    origin: AgentOrigin,
    digest: String,
    warnings: Vec<AgentProblem>,
    /// The text of the file.
    text: String,
    /// The number of folders between the file and the project.
    levels: usize,
}

/// The reason why an agent of the project is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeldAgent {
    /// The user has not accepted the file, or only another version of it.
    NotAccepted(AcceptanceState),
    /// The file is too long to be shown to the user who would accept it.
    TooLong,
    /// The acceptances cannot be read.
    Unknown,
}

/// The maximum size of a file of a project, in bytes: a longer text could not be shown to the user who accepts it.
const MAX_ACCEPTED_BYTES: usize = 32 * 1024;

impl NamedAgent {
    /// Creates an agent of the code of an app.
    pub(crate) fn from_spec(spec: AgentSpec) -> Self {
        let digest = digest_of_fields(["spec", &spec.name, &format!("{spec:?}")]);
        Self(Arc::new(AgentDefinition {
            spec,
            origin: AgentOrigin::App,
            digest,
            warnings: Vec::new(),
            text: String::new(),
            levels: 0,
        }))
    }

    /// Creates an agent of a file that is `levels` folders below its project.
    pub(crate) fn from_text(
        spec: AgentSpec,
        origin: AgentOrigin,
        warnings: Vec<AgentProblem>,
        text: String,
        levels: usize,
    ) -> Self {
        Self(Arc::new(AgentDefinition {
            digest: digest_of_fields(["file", &*text]),
            spec,
            origin,
            warnings,
            text,
            levels,
        }))
    }

    /// Returns the specification.
    #[must_use]
    pub fn spec(&self) -> &AgentSpec {
        &self.0.spec
    }

    /// Returns the origin.
    #[must_use]
    pub fn origin(&self) -> &AgentOrigin {
        &self.0.origin
    }

    /// Returns the digest of the file.
    #[must_use]
    pub fn digest_text(&self) -> &str {
        &self.0.digest
    }

    /// Returns what its file has that is not read as its author may mean it, each with the line.
    #[must_use]
    pub fn warnings(&self) -> &[AgentProblem] {
        &self.0.warnings
    }

    /// Returns the line of a key in the file; 0 if there is none.
    #[must_use]
    pub fn line_of(&self, key: &str) -> usize {
        let file = parse_agent(&self.0.text);
        let field = file.fields.iter().find(|field| field.key == key);
        field.map_or(0, |field| field.line)
    }

    /// Returns the line of a field of the file that names something, such as a tool; `None` if no field does.
    #[must_use]
    pub fn line_of_name(&self, name: &str) -> Option<usize> {
        line_of_name(&self.0.text, name)
    }

    /// Returns the number of folders between the file and the project.
    #[doc(hidden)]
    #[must_use]
    pub fn levels(&self) -> usize {
        self.0.levels
    }

    /// Returns whether the user has to accept the agent.
    #[must_use]
    pub fn is_of_project(&self) -> bool {
        matches!(self.0.origin, AgentOrigin::Project(_))
    }

    /// Compares the file with what the user accepted.
    ///
    /// # Errors
    ///
    /// If the acceptances cannot be read, or the path of the file cannot be stored.
    pub fn difference(&self, acceptances: &Acceptances) -> Result<Difference, AcceptanceError> {
        let accepted = acceptances.read()?;
        Ok(accepted.difference(self.subject()?, self.content()))
    }

    /// Returns the subject of the acceptance.
    ///
    /// # Errors
    ///
    /// If the path of the file cannot be stored.
    pub fn subject(&self) -> Result<AcceptanceSubject, AcceptanceError> {
        let path = self.0.origin.path().unwrap_or(Path::new(""));
        AcceptanceSubject::from_file(AcceptanceKind::AgentFile, path, self.0.levels)
    }

    fn content(&self) -> AcceptanceContent {
        let entry = ContentEntry::with_text(EntryKind::Agent, &*self.0.spec.name, &self.0.text);
        AcceptanceContent::from_bytes(self.0.text.as_bytes(), [entry])
    }

    /// Returns the reason why the agent may not be used.
    pub(crate) fn held(
        &self,
        acceptances: &Acceptances,
    ) -> Result<Option<HeldAgent>, AcceptanceError> {
        if !self.is_of_project() {
            return Ok(None);
        }
        if self.0.text.len() > MAX_ACCEPTED_BYTES {
            return Ok(Some(HeldAgent::TooLong));
        }
        let state = acceptances.state(self.subject(), &self.content())?;
        let is_accepted = state == AcceptanceState::Accepted;
        Ok((!is_accepted).then_some(HeldAgent::NotAccepted(state)))
    }
}

impl Definition for NamedAgent {
    type Digest = String;

    fn name(&self) -> &str {
        &self.0.spec.name
    }

    fn layer(&self) -> Layer {
        match self.0.origin {
            AgentOrigin::App => Layer::Host,
            AgentOrigin::Embedded { .. } => Layer::Embedded,
            AgentOrigin::User(_) | AgentOrigin::Bundle(_) => Layer::User,
            AgentOrigin::Project(_) => Layer::Project,
        }
    }

    fn digest(&self) -> String {
        self.0.digest.clone()
    }

    fn location(&self) -> Option<Location> {
        let file = self.0.origin.path()?.to_owned();
        Some(Location { file, line: 1 })
    }
}

impl AgentOrigin {
    /// Returns the file, if it is one of this machine.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::User(path) | Self::Bundle(path) | Self::Project(path) => Some(path),
            Self::App | Self::Embedded { .. } => None,
        }
    }

    /// Returns the name of the kind of origin: `app`, `embedded`, `user`, `bundle` or `project`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::App => "app",
            Self::Embedded { .. } => "embedded",
            Self::User(_) => "user",
            Self::Bundle(_) => "bundle",
            Self::Project(_) => "project",
        }
    }
}

impl fmt::Display for AgentOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::App => f.write_str("the code of the app"),
            Self::Embedded { package, path } => write!(f, "`{path}` of package `{package}`"),
            Self::User(path) | Self::Bundle(path) | Self::Project(path) => {
                write!(f, "`{}`", path.display())
            }
        }
    }
}

impl fmt::Display for HeldAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAccepted(state) => state.fmt(f),
            Self::Unknown => f.write_str("the acceptances cannot be read"),
            Self::TooLong => write!(
                f,
                "it is larger than {} KiB, too long to be accepted",
                MAX_ACCEPTED_BYTES / 1024
            ),
        }
    }
}
