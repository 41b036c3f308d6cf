//! The skills of an app: those that it embeds, and those that lie in folders of the user, of the project and of the
//! settings.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ArgMatches;

use super::acceptance;
use super::app_tools::AppTools;
use super::bundles;
use super::config::{Config, ConfigError, resolve_path};
use helve_core::toolset::Toolset;
use helve_permission::acceptances::{AcceptanceError, AcceptanceKind};
#[cfg(any(feature = "chat", feature = "mcp", feature = "skill-install"))]
use helve_skill::SkillLibrary;
use helve_skill::{
    CatalogError, SkillCatalog, SkillDigest, SkillEnvironment, SkillFilter, SkillFolder, SkillSet,
    SkillSource,
};
#[cfg(feature = "skill-install")]
use helve_skill_install::{
    InstallError, SkillInstaller, SkillManager, SkillSources, SkillStatus, SkillStatuses,
};
#[cfg(any(
    debug_assertions,
    feature = "chat",
    feature = "mcp",
    feature = "skill-install"
))]
use helve_terminal::output;

#[derive(Debug, Default)]
pub(super) struct SkillSettings {
    pub(super) folders: Vec<PathBuf>,
    pub(super) filter: SkillFilter,
    /// Whether the skill folders of the user and the project are ignored.
    pub(super) embedded_only: bool,
}

/// Reports whether a command reads the skill folders, which takes time.
pub(super) fn reads_folders(tools: &AppTools, command: &str, matches: &ArgMatches) -> bool {
    match command {
        "chat" | "complete" | "demo" | "doctor" | "permissions" | "resume" | "run" | "serve"
        | "tools" => true,
        // These subcommands are independent of the app.
        "skills" => !matches!(matches.subcommand_name(), Some("validate" | "new" | "pack")),
        // A tool that the user calls may read a skill folder.
        "call" => {
            let words = matches.get_many::<OsString>("words").into_iter();
            let tool = words.flatten().next().and_then(|word| word.to_str());
            tool.is_none_or(|tool| !tools.has_pack_tool(tool))
        }
        _ => false,
    }
}

pub(super) fn embedded_catalog(
    package: &str,
    sets: &[&'static SkillSet],
) -> Result<SkillCatalog, CatalogError> {
    let mut catalog = SkillCatalog::for_packages(&[package])?;
    for set in sets {
        catalog = catalog.with(set)?;
    }
    Ok(catalog)
}

/// Adds the skills of folders to those that are embedded, as far as the app and the settings allow it. Skills that are disabled
/// or paused are left out, unless they are asked for.
pub(super) async fn read(
    embedded: SkillCatalog,
    own: &SkillSettings,
    config: &Config,
    folder: &Path,
    tools: &Toolset,
    with_unused: bool,
) -> Result<SkillCatalog, ConfigError> {
    let catalog = apply_settings(embedded, own, config, tools)?;
    let sources = sources(own, config, folder)?;
    let catalog = catalog.with_sources(sources).await;
    #[cfg(feature = "skill-install")]
    if let (false, Some(data)) = (with_unused, SkillInstaller::data_folder()) {
        let statuses = SkillStatuses::new(data.join("status.json"));
        // A file that cannot be read disables no skill.
        if let Err(error) = statuses.list(folder) {
            output::error(&error);
        }
        let statuses = Arc::new(statuses.in_project(folder));
        return Ok(catalog.with_availability(statuses).await);
    }
    let _ = with_unused;
    Ok(catalog)
}

/// Returns the statuses of skills in a project.
#[cfg(feature = "skill-install")]
pub(super) fn statuses(project: &Path) -> Result<Vec<SkillStatus>, InstallError> {
    match SkillInstaller::data_folder() {
        Some(data) => SkillStatuses::new(data.join("status.json")).list(project),
        None => Ok(Vec::new()),
    }
}

/// Returns the sources of skills by the settings.
#[cfg(feature = "skill-install")]
pub(super) fn install_sources(config: &Config, folder: &Path) -> SkillSources {
    let text = |key: &[&str]| Some(config.text(key).ok()??.value);
    let mut sources = SkillSources::new(folder);
    sources.github = text(&["skills", "github"]);
    sources.hub = text(&["skills", "hub", "source"]);
    sources
}

/// Returns what manages skills for a model, where the settings grant it.
#[cfg(feature = "skill-install")]
pub(super) fn manager(
    skills: &Arc<SkillLibrary>,
    config: &Config,
    folder: &Path,
) -> Option<SkillManager> {
    if !config.boolean(&["skills", "manage"]).unwrap_or_default() {
        return None;
    }
    let data = SkillInstaller::data_folder()?;
    let installer = SkillInstaller::new(folder, data, acceptance::user_store());
    let sources = install_sources(config, folder);
    Some(SkillManager::new(installer, Arc::clone(skills), sources))
}

/// Warns the developer if the program is older than the folders that it embeds.
#[cfg(debug_assertions)]
pub(super) fn warn_outdated(catalog: &SkillCatalog) {
    for text in outdated_sets(catalog) {
        output::note(&format!("warning: {text}; rebuild the program"));
    }
}

/// Applies the settings of the app and the user.
fn apply_settings(
    catalog: SkillCatalog,
    own: &SkillSettings,
    config: &Config,
    tools: &Toolset,
) -> Result<SkillCatalog, ConfigError> {
    let texts = |key| {
        let said = config.texts(&["skills", key])?;
        Ok::<_, ConfigError>(said.map(|said| said.value))
    };
    let mut catalog = catalog.filtered(&own.filter);
    if let Some(names) = texts("allow")? {
        catalog = catalog.only(names);
    }
    if let Some(names) = texts("deny")? {
        catalog = catalog.without(names);
    }
    let shadow = config.boolean(&["skills", "shadow"]).unwrap_or_default();
    let catalog = catalog.accept(accepted_digests()?).shadow_embedded(shadow);
    // The programs that there are can only be known in the sandbox.
    let surroundings = SkillEnvironment::new()
        .tools(tools.names())
        .variables(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
        .system(std::env::consts::OS);
    Ok(catalog.with_environment(surroundings))
}

/// Returns the versions of skills that the user has accepted, whatever their origin: a digest is of all that is in them.
fn accepted_digests() -> Result<Vec<SkillDigest>, AcceptanceError> {
    let accepted = acceptance::user_store().list()?;
    let skills = accepted
        .iter()
        .filter(|one| one.kind == AcceptanceKind::Skill);
    Ok(skills.filter_map(|one| one.digest.parse().ok()).collect())
}

/// Lists the folders in order of precedence.
fn sources(
    own: &SkillSettings,
    config: &Config,
    folder: &Path,
) -> Result<Vec<Arc<dyn SkillSource>>, ConfigError> {
    let mut folders = Vec::new();
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    if !own.embedded_only {
        folders.extend(SkillFolder::for_project(folder));
        // In the home itself the folders of the project are those of the user.
        let real = |path: &Path| path.canonicalize().ok();
        if let Some(home) = home.as_deref().filter(|home| real(home) != real(folder)) {
            folders.extend(SkillFolder::for_user(home));
        }
    }
    let of_bundles = match own.embedded_only {
        true => Vec::new(),
        false => bundles::skill_folders(),
    };
    let said = config.list(&["skills", "folders"])?;
    let said = said
        .iter()
        .map(|text| resolve_path(folder, home.as_deref(), text));
    let own = own.folders.iter();
    let own = own.map(|own| folder.join(own));
    let named = own.chain(said).chain(of_bundles);
    folders.extend(named.map(SkillFolder::from_config));
    let sources = folders
        .into_iter()
        .map(|folder| Arc::new(folder) as Arc<dyn SkillSource>);
    Ok(sources.collect())
}

/// Reads the folders again where they have changed, at the start of a turn, and prints the new notes.
#[cfg(feature = "chat")]
pub(super) async fn refresh(skills: &SkillLibrary) {
    let before = skills.current();
    if let Some(fresh) = skills.refresh().await {
        print_new_notes(&before, &fresh);
    }
}

/// Adds the skills of MCP servers, as far as the user has approved them, and prints the new notes.
#[cfg(feature = "mcp")]
pub(super) async fn add_server_skills(skills: &SkillLibrary, servers: &helve_mcp::McpServers) {
    let before = skills.current();
    let sources = servers.skill_sources();
    let fresh = skills.add_sources(sources).await;
    print_new_notes(&before, &fresh);
}

#[cfg(any(feature = "chat", feature = "mcp"))]
fn print_new_notes(before: &SkillCatalog, fresh: &SkillCatalog) {
    for note in fresh.notes() {
        if !before.notes().contains(note) {
            output::remark(&note.to_string());
        }
    }
}

/// Describes the embedded folders that have changed since the program was built. This is for developers: without debug
/// assertions the folders are unknown.
pub(super) fn outdated_sets(catalog: &SkillCatalog) -> Vec<String> {
    let sets = catalog.embedded_sets();
    let told = sets.into_iter().filter_map(|set| {
        let drift = set.drift();
        let first = drift.first()?;
        let more = match drift.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(format!(
            "the folder `{}` of package `{}` differs from the embedded skills ({first}{more})",
            set.folder(),
            set.package()
        ))
    });
    told.collect()
}

/// Returns the folders of skills that must not be used, as the file system names them.
pub(super) fn hidden_folders(catalog: &SkillCatalog) -> Vec<PathBuf> {
    let hidden = catalog.hidden_paths();
    hidden.filter_map(|path| path.canonicalize().ok()).collect()
}

/// Renders the folders of excluded skills as patterns without wildcards.
#[cfg(feature = "files")]
pub(super) fn hidden_patterns(catalog: &SkillCatalog) -> Vec<String> {
    let escaped = |path: PathBuf| {
        let mut pattern = String::new();
        for c in path.to_str()?.chars() {
            if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
                pattern.push('\\');
            }
            pattern.push(c);
        }
        Some(pattern)
    };
    let folders = hidden_folders(catalog).into_iter();
    folders.filter_map(escaped).collect()
}
