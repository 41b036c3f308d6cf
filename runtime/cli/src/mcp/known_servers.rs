//! All configured servers, each with its origin.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::project_servers::{McpJsonError, McpJsonFile, UnacceptedServers};
use super::settings;
use crate::bundles;
use crate::config::{Config, ConfigError, ProjectFile, SettingOrigin, display_path};
use helve_mcp::ServerConfig;

#[derive(Debug)]
pub(crate) struct KnownServers {
    pub(crate) servers: Vec<KnownServer>,
    /// The servers of `.mcp.json`, if they are not accepted.
    pub(crate) unaccepted: Option<UnacceptedServers>,
    /// The error of `.mcp.json`, if it cannot be used.
    pub(crate) problem: Option<McpJsonError>,
}

#[derive(Debug)]
pub(crate) struct KnownServer {
    /// The name as it is written in the file; it may be invalid.
    pub(crate) name: String,
    pub(crate) origin: ServerOrigin,
    pub(crate) is_disabled: bool,
    pub(crate) config: Result<ServerConfig, ServerProblem>,
}

/// The origin of a server's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ServerOrigin {
    /// By the app's author.
    App,
    Settings(SettingOrigin),
    /// In the project's `.mcp.json`.
    Project(PathBuf),
    /// In a bundle of this name.
    Bundle(String),
}

/// The reason why a configured server cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServerProblem {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Project(#[from] McpJsonError),
    #[error(
        "the program of the server is in the root of the workspace, which commands can write, and would run outside \
         the sandbox: move it to a subfolder, which is then protected, or set `sandboxed = true`"
    )]
    ProgramInWorkspaceRoot,
}

impl KnownServers {
    /// Reads them. The app's own give way to those of bundles, those to the user's, those to `.mcp.json`, and that to the project's settings.
    pub(crate) fn read(own: &[ServerConfig], config: &Config, folder: &Path) -> Self {
        let mut known: BTreeMap<String, KnownServer> = BTreeMap::new();
        let mut add = |server: KnownServer| {
            known.insert(server.name.clone(), server);
        };
        own.iter().map(app_server).for_each(&mut add);
        let mut problem = None;
        for (bundle, path, text) in bundles::server_texts() {
            match McpJsonFile::of_bundle(path, text).servers_of_bundle(&bundle) {
                Ok(servers) => servers.into_iter().for_each(&mut add),
                Err(error) => problem = Some(error),
            }
        }
        let project = ProjectFile::find_path(folder);
        let is_projects = |server: &KnownServer| matches!(&server.origin, ServerOrigin::Settings(SettingOrigin::File(position)) if position.path == project);
        let said = settings::servers(config, folder).into_iter();
        let (of_project, of_user): (Vec<_>, Vec<_>) = said.partition(is_projects);
        of_user.into_iter().for_each(&mut add);
        let mut unaccepted = None;
        match McpJsonFile::read(folder).and_then(|file| file.effective_servers()) {
            Ok((servers, not_in_force)) => {
                servers.into_iter().for_each(&mut add);
                unaccepted = not_in_force;
            }
            Err(error) => problem = Some(error),
        }
        of_project.into_iter().for_each(&mut add);
        for (name, is_disabled) in settings::disabled_overrides(config) {
            if let Some(server) = known.get_mut(name) {
                server.is_disabled = is_disabled;
            }
        }
        let mut known = Self {
            servers: known.into_values().collect(),
            unaccepted,
            problem,
        };
        known.reject_root_programs(folder);
        known
    }

    pub(crate) fn get(&self, name: &str) -> Option<&KnownServer> {
        self.servers.iter().find(|server| server.name == name)
    }
}

fn app_server(config: &ServerConfig) -> KnownServer {
    KnownServer {
        name: config.name().to_string(),
        origin: ServerOrigin::App,
        is_disabled: false,
        config: Ok(config.clone()),
    }
}

impl fmt::Display for ServerOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::App => f.write_str("the app"),
            Self::Settings(origin) => origin.fmt(f),
            Self::Project(path) => f.write_str(&display_path(path)),
            Self::Bundle(name) => write!(f, "the bundle `{name}`"),
        }
    }
}
