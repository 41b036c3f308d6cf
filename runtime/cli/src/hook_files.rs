//! The settings files with hooks: those of the user, and those of the project that the user has accepted.

use std::path::{Path, PathBuf};

use crate::config::{ConfigError, ProjectFile, read_file, user_path};
use crate::{acceptance, bundles};
use helve_hooks::{HookScope, HookSettings, HookSettingsError, ProjectHooks};
use helve_permission::acceptances::{AcceptanceError, AcceptanceSubject, Acceptances, Difference};

/// The settings files of Claude Code, below the home folder and the folder of a project.
const CLAUDE: &str = ".claude/settings.json";
const CLAUDE_LOCAL: &str = ".claude/settings.local.json";

/// The reason why the hooks cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HooksError {
    #[error(transparent)]
    File(#[from] ConfigError),
    #[error("{message}\nhelp: fix the file, or use `--no-hooks` to run without hooks")]
    Settings { message: String },
    #[error(transparent)]
    Acceptance(#[from] AcceptanceError),
}

impl From<HookSettingsError> for HooksError {
    fn from(error: HookSettingsError) -> Self {
        let message = error.to_string();
        Self::Settings { message }
    }
}

/// Reads the hooks of the user and of the project around a folder, as far as they are in force.
pub(crate) fn read(folder: &Path, binary: &str) -> Result<HookSettings, HooksError> {
    let mut settings = HookSettings::new();
    for file in user_files() {
        settings.extend(file.read(HookScope::User)?.unwrap_or_default());
    }
    for hooks in of_bundles() {
        settings.extend(hooks?);
    }
    let acceptances = acceptance::user_store();
    let command = format!("{binary} permissions trust");
    for hooks in project_hooks(folder)? {
        settings.extend(hooks.in_force(&acceptances, &command)?);
    }
    Ok(settings)
}

/// Returns the hooks of the settings files of the user.
pub(crate) fn of_user() -> Vec<HookSettings> {
    // A file with mistakes is an error where the hooks are read.
    let settings = user_files().into_iter();
    let settings = settings.filter_map(|file| file.read(HookScope::User).ok()?);
    settings.chain(of_bundles().flatten()).collect()
}

/// Returns the hooks of the bundles that are in force.
fn of_bundles() -> impl Iterator<Item = Result<HookSettings, HookSettingsError>> {
    let texts = bundles::hook_texts().into_iter();
    texts.map(|(path, text)| HookSettings::from_claude(&text, path, HookScope::User))
}

/// Compares the hooks of the settings of the project around a folder with those that the user accepted.
pub(crate) fn differences(
    folder: &Path,
    acceptances: &Acceptances,
) -> Result<Vec<Difference>, HooksError> {
    let mut differences = Vec::new();
    for hooks in project_hooks(folder)? {
        differences.extend(hooks.difference(acceptances)?);
    }
    Ok(differences)
}

/// Lists the subjects of the acceptances of the settings of the project around a folder.
pub(crate) fn subjects(folder: &Path) -> Vec<Result<AcceptanceSubject, AcceptanceError>> {
    let files = project_files(folder).into_iter();
    let hooks =
        files.map(|file| ProjectHooks::new(file.path, file.levels, folder, HookSettings::new()));
    hooks.map(|hooks| hooks.subject()).collect()
}

/// A settings file.
struct HookFile {
    path: PathBuf,
    /// The number of folders between the file and its project.
    levels: usize,
    is_claude: bool,
}

impl HookFile {
    fn claude(folder: &Path, name: &str) -> Self {
        Self {
            path: folder.join(name),
            levels: 2,
            is_claude: true,
        }
    }

    fn helve(path: PathBuf) -> Self {
        Self {
            path,
            levels: 1,
            is_claude: false,
        }
    }

    /// Reads the hooks; `None` if there is no such file.
    fn read(&self, scope: HookScope) -> Result<Option<HookSettings>, HooksError> {
        let Some(text) = read_file(&self.path)? else {
            return Ok(None);
        };
        let settings = match self.is_claude {
            true => HookSettings::from_claude(&text, &self.path, scope)?,
            // A file with other mistakes is an error where the settings are read.
            false if !text.contains("hooks") => HookSettings::new(),
            false => HookSettings::from_toml(&text, &self.path, scope)?,
        };
        Ok(Some(settings))
    }
}

fn user_files() -> Vec<HookFile> {
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    let own = user_path().map(HookFile::helve);
    let claude = home.map(|home| HookFile::claude(&home, CLAUDE));
    own.into_iter().chain(claude).collect()
}

fn project_files(folder: &Path) -> Vec<HookFile> {
    let user: Vec<PathBuf> = user_files().into_iter().map(|file| file.path).collect();
    let files = [
        HookFile::helve(ProjectFile::find_path(folder)),
        HookFile::claude(folder, CLAUDE),
        HookFile::claude(folder, CLAUDE_LOCAL),
    ];
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_of_user = |file: &HookFile| user.iter().any(|own| real(own) == real(&file.path));
    files.into_iter().filter(|file| !is_of_user(file)).collect()
}

fn project_hooks(folder: &Path) -> Result<Vec<ProjectHooks>, HooksError> {
    let mut all = Vec::new();
    for file in project_files(folder) {
        let settings = file.read(HookScope::Project)?.unwrap_or_default();
        all.push(ProjectHooks::new(file.path, file.levels, folder, settings));
    }
    Ok(all)
}
