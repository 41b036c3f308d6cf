//! The folders of agent files of the user and the project.

use std::path::{Path, PathBuf};

use helve_skill_format::{
    AgentProblem, FoundAgentFile, parse_agent, read_agent_file, read_agent_files,
};
use helve_storage::definition_roots::{self, DefinitionRoots};

use crate::file_spec;
use crate::{AgentOrigin, NamedAgent};

/// A file that defines no agent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkippedFile {
    /// The path.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
    /// The problems of the file, if its text was read.
    pub problems: Vec<AgentProblem>,
}

/// What folders contain.
#[derive(Debug, Clone, Default)]
pub(crate) struct FolderContents {
    pub(crate) agents: Vec<NamedAgent>,
    pub(crate) skipped: Vec<SkippedFile>,
}

impl FolderContents {
    /// Reads the agents of the project around a folder, the nearest folder first, and those of the user.
    pub(crate) fn read(folder: &Path, home: Option<&Path>) -> Self {
        let mut found = Self::default();
        let roots = DefinitionRoots::around(folder, home);
        for project in &roots.project {
            found.read_root(project, AgentOrigin::Project);
        }
        if let Some(home) = &roots.user {
            found.read_root(home, AgentOrigin::User);
        }
        found
    }

    /// Reads folders and files of agents of bundles that the user has installed.
    pub(crate) fn of_bundle_paths(paths: &[PathBuf]) -> Self {
        let mut found = Self::default();
        for path in paths {
            match path.is_dir() {
                true => found.read_folder(path, AgentOrigin::Bundle),
                false => found.take(read_agent_file(path), AgentOrigin::Bundle),
            }
        }
        found
    }

    fn read_root(&mut self, root: &Path, origin: fn(PathBuf) -> AgentOrigin) {
        for folder in definition_roots::below(root, "agents") {
            self.read_folder(&folder, origin);
        }
    }

    fn read_folder(&mut self, folder: &Path, origin: fn(PathBuf) -> AgentOrigin) {
        for found in read_agent_files(folder) {
            self.take(found, origin);
        }
    }

    fn take(&mut self, found: FoundAgentFile, origin: fn(PathBuf) -> AgentOrigin) {
        // The file is in `agents`, in `.agents` or `.claude`.
        let levels = found.depth + 3;
        match found.text {
            Ok(text) => self.add(found.path, text, levels, origin),
            Err(reason) => self.skipped.push(SkippedFile {
                path: found.path,
                reason,
                problems: Vec::new(),
            }),
        }
    }

    fn add(
        &mut self,
        path: PathBuf,
        text: String,
        levels: usize,
        origin: fn(PathBuf) -> AgentOrigin,
    ) {
        let file = parse_agent(&text);
        match file_spec::from_file(&file) {
            Ok(spec) => {
                let (origin, warnings) = (origin(path), file.problems);
                let agent = NamedAgent::from_text(spec, origin, warnings, text, levels);
                self.agents.push(agent);
            }
            Err(reason) => self.skipped.push(SkippedFile {
                path,
                reason,
                problems: file.problems,
            }),
        }
    }
}
