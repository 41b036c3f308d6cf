//! The catalogue of agents.

use std::path::{Path, PathBuf};

use helve_catalog::{Catalog, Reason, Rules};
use helve_permission::acceptances::{AcceptanceError, Acceptances};
use helve_skill_format::parse_agent;

use crate::folders::FolderContents;
use crate::{AgentOrigin, AgentSet, AgentSpec, HeldAgent, NamedAgent, SkippedFile, file_spec};

/// The agents of an app, the user and the project, of which one per name is used.
///
/// Of two agents with the same name, one of the project takes precedence over one of the user, that over an embedded one,
/// and that over one of the code. Of two files of the project, the one in the nearest folder is used, of two in one
/// folder, the first by path. An agent of the project is held until the user has accepted its file.
///
/// ```
/// use helve::agents::{AgentCatalog, AgentSpec};
///
/// let catalog = AgentCatalog::new().with_spec(AgentSpec::new("helper", "Helps."));
/// assert_eq!(catalog.get("helper").unwrap().spec().description, "Helps.");
/// ```
#[derive(Debug, Clone, Default)]
pub struct AgentCatalog {
    found: Vec<NamedAgent>,
    skipped: Vec<SkippedFile>,
    resolved: Catalog<NamedAgent, HeldAgent>,
}

/// Rejects the agents of a project that the user has not accepted.
struct AcceptedAgents<'a>(&'a Acceptances);

impl Rules<NamedAgent> for AcceptedAgents<'_> {
    type Rejection = HeldAgent;

    fn includes(&self, _: &str) -> bool {
        true
    }

    fn reject(&self, agent: &NamedAgent) -> Option<HeldAgent> {
        // The caller has read the acceptances, so that reading them again does not fail for another reason.
        agent.held(self.0).unwrap_or(Some(HeldAgent::Unknown))
    }

    fn allows_shadowing_embedded(&self) -> bool {
        true
    }
}

impl AgentCatalog {
    /// Creates a catalogue without agents.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a catalogue of the agents that the named packages embed. A package may embed no agents.
    #[must_use]
    pub fn for_packages(packages: &[&str]) -> Self {
        let sets = AgentSet::linked().filter(|set| packages.contains(&set.package()));
        sets.fold(Self::new(), Self::with_set)
    }

    /// Adds an agent of the code.
    #[must_use]
    pub fn with_spec(mut self, spec: AgentSpec) -> Self {
        self.found.push(NamedAgent::from_spec(spec));
        self.resolve(&Acceptances::default())
    }

    /// Adds the agents of an embedded set.
    #[must_use]
    pub fn with_set(mut self, set: &'static AgentSet) -> Self {
        for agent in set.agents() {
            let file = parse_agent(agent.text());
            // The macro has checked the file.
            let Ok(spec) = file_spec::from_file(&file) else {
                continue;
            };
            let origin = AgentOrigin::Embedded {
                package: set.package().to_owned(),
                path: format!("{}/{}", set.folder(), agent.path()),
            };
            let text = agent.text().to_owned();
            let agent = NamedAgent::from_text(spec, origin, file.problems, text, 0);
            self.found.push(agent);
        }
        self.resolve(&Acceptances::default())
    }

    /// Adds the agents of `.agents/agents` and `.claude/agents`: of the project around a folder, up to the root of its
    /// repository, and of the home folder of the user. Blocks on file access.
    ///
    /// # Errors
    ///
    /// If the acceptances cannot be read.
    pub fn with_folders(
        mut self,
        folder: &Path,
        home: Option<&Path>,
        acceptances: &Acceptances,
    ) -> Result<Self, AcceptanceError> {
        let contents = FolderContents::read(folder, home);
        self.found.extend(contents.agents);
        self.skipped.extend(contents.skipped);
        if self.found.iter().any(NamedAgent::is_of_project) {
            acceptances.list()?;
        }
        Ok(self.resolve(acceptances))
    }

    /// Adds the agents of folders and files of bundles that the user has installed. Those of the home folder take
    /// precedence if they are added later. Blocks on file access.
    #[must_use]
    pub fn with_bundle_paths(mut self, paths: &[PathBuf]) -> Self {
        let contents = FolderContents::of_bundle_paths(paths);
        self.found.extend(contents.agents);
        self.skipped.extend(contents.skipped);
        self.resolve(&Acceptances::default())
    }

    fn resolve(mut self, acceptances: &Acceptances) -> Self {
        self.resolved = Catalog::resolve(self.found.clone(), &AcceptedAgents(acceptances));
        self
    }

    /// Finds the agent of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&NamedAgent> {
        self.resolved.get(name)
    }

    /// Returns the agents that are used, sorted by name.
    #[must_use]
    pub fn agents(&self) -> &[NamedAgent] {
        self.resolved.used()
    }

    /// Returns whether there is nothing to list: no agent and no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.skipped.is_empty()
    }

    /// Iterates over the agents that are not used, each with the reason.
    pub fn unused(&self) -> impl Iterator<Item = (&NamedAgent, String)> {
        let unused = self.resolved.unused().iter();
        unused.map(|unused| {
            let reason = match &unused.reason {
                Reason::Excluded => "it is excluded".to_owned(),
                Reason::Rejected(held) => format!("held: {held}"),
                Reason::Shadowed { by } => format!("shadowed by {}", by.origin()),
            };
            (&unused.definition, reason)
        })
    }

    /// Iterates over the agents of the project that wait to be accepted.
    pub fn held(&self) -> impl Iterator<Item = (&NamedAgent, &HeldAgent)> {
        let unused = self.resolved.unused().iter();
        unused.filter_map(|unused| match &unused.reason {
            Reason::Rejected(held) => Some((&unused.definition, held)),
            _ => None,
        })
    }

    /// Iterates over the agents of the files of the project, used or not.
    pub fn of_project(&self) -> impl Iterator<Item = &NamedAgent> {
        self.found.iter().filter(|agent| agent.is_of_project())
    }

    /// Returns the files that define no agent, each with the reason.
    #[must_use]
    pub fn skipped(&self) -> &[SkippedFile] {
        &self.skipped
    }

    /// Returns the most similar name of an agent, whether it is used or not.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let names = self.found.iter().map(|agent| &*agent.spec().name);
        helve_core::registry::nearest(name, names)
    }
}
