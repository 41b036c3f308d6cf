//! The skills of an app: those that it embeds, and those that lie in folders of the user, of the project and of the
//! settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ArgMatches;

use super::acceptance;
use super::assembly::Assembly;
use super::commands::block_on;
use super::config::{Config, ConfigError};
use crate::acceptances::{AcceptanceError, AcceptanceKind};
use crate::skill::{
    SkillCatalog, SkillDigest, SkillFilter, SkillFolder, SkillSource, SkillSurroundings,
};

/// What an app itself says of skills.
#[derive(Debug, Default)]
pub(super) struct SkillSettings {
    /// More folders.
    pub(super) folders: Vec<PathBuf>,
    /// Which skills it uses.
    pub(super) filter: SkillFilter,
    /// Whether the folders of the user and of the project are left alone.
    pub(super) embedded_only: bool,
}

/// Says why the skills of an app cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum SkillsError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Assembly(#[from] super::AssemblyError),
    #[error("the folders of skills cannot be read")]
    Runtime(#[from] std::io::Error),
}

/// Reports whether a command looks into the folders of skills, which takes its time.
pub(super) fn are_used(assembly: &Assembly, command: &str, matches: &ArgMatches) -> bool {
    match command {
        "chat" | "demo" | "doctor" | "permissions" | "resume" | "run" | "serve" | "tools" => true,
        // What belongs to no app needs no settings.
        "skills" => !matches!(matches.subcommand_name(), Some("validate" | "new")),
        // A person who calls a tool may read what lies in a folder.
        "call" => {
            let words = matches.get_many::<std::ffi::OsString>("words");
            let tool = words
                .into_iter()
                .flatten()
                .next()
                .and_then(|word| word.to_str());
            tool.is_none_or(|tool| !assembly.tools.has_besides_skills(tool))
        }
        _ => false,
    }
}

/// Adds the skills of folders to those that are embedded, as far as the settings say.
pub(super) fn open(assembly: &mut Assembly, matches: &ArgMatches) -> Result<(), SkillsError> {
    let config = Config::load(assembly.folder(), matches)?;
    let embedded = (*assembly.skills.current()).clone();
    let catalog = settled(embedded, assembly, &config)?;
    let sources = sources(assembly, &config)?;
    let catalog = block_on(catalog.with_sources(sources))?;
    shut(assembly, &catalog);
    assembly.grant_skills(catalog)?;
    Ok(())
}

/// Tells who builds the program that it is older than the folders that it embeds.
#[cfg(debug_assertions)]
pub(super) fn warn_of_outdated(assembly: &Assembly) {
    for text in outdated(assembly) {
        super::output::note(&format!("note: {text}; build the program again"));
    }
}

/// Applies what the app and the settings say of all skills.
fn settled(
    catalog: SkillCatalog,
    assembly: &Assembly,
    config: &Config,
) -> Result<SkillCatalog, ConfigError> {
    let texts = |key| {
        let said = config.texts(["skills", key])?;
        Ok::<_, ConfigError>(said.map(|said| said.value))
    };
    let mut catalog = catalog.filtered(&assembly.skill_settings.filter);
    if let Some(names) = texts("allow")? {
        catalog = catalog.only(names);
    }
    if let Some(names) = texts("deny")? {
        catalog = catalog.without(names);
    }
    let shadow = config.switch(["skills", "shadow"]).unwrap_or_default();
    let catalog = catalog.accept(accepted()?).shadow_embedded(shadow);
    // Which programs there are is known where commands run alone.
    let surroundings = SkillSurroundings::new()
        .tools(assembly.tools.granted().names())
        .variables(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
        .system(std::env::consts::OS);
    Ok(catalog.usable_in(surroundings))
}

/// Returns the versions of skills that the user has accepted, whatever their origin: a digest is of all that is in them.
fn accepted() -> Result<Vec<SkillDigest>, AcceptanceError> {
    let accepted = acceptance::user_store().list()?;
    let skills = accepted
        .iter()
        .filter(|one| one.kind == AcceptanceKind::Skill);
    Ok(skills.filter_map(|one| one.digest.parse().ok()).collect())
}

/// Lists the folders, those that win first.
fn sources(assembly: &Assembly, config: &Config) -> Result<Vec<Arc<dyn SkillSource>>, ConfigError> {
    let mut folders = Vec::new();
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    if !assembly.skill_settings.embedded_only {
        folders.extend(SkillFolder::of_project(assembly.folder()));
        // In the home itself the folders of the project are those of the user.
        let real = |path: &Path| path.canonicalize().ok();
        if let Some(home) = home
            .as_deref()
            .filter(|home| real(home) != real(assembly.folder()))
        {
            folders.extend(SkillFolder::of_user(home));
        }
    }
    let said = config.texts(["skills", "folders"])?;
    let said = said.map(|said| said.value).unwrap_or_default();
    let said = said
        .iter()
        .map(|text| super::sandbox::absolute(assembly.folder(), home.as_deref(), text));
    let own = assembly.skill_settings.folders.iter();
    let own = own.map(|folder| assembly.folder().join(folder));
    folders.extend(own.chain(said).map(SkillFolder::configured));
    let sources = folders
        .into_iter()
        .map(|folder| Arc::new(folder) as Arc<dyn SkillSource>);
    Ok(sources.collect())
}

/// Reads the folders again where they have changed, at the start of a turn; a note that is new is told.
#[cfg(feature = "chat")]
pub(super) async fn refresh(assembly: &Assembly) {
    let before = assembly.skills.current();
    if let Some(fresh) = assembly.skills.refresh().await {
        tell_what_is_new(&before, &fresh);
    }
}

/// Adds the skills of MCP servers, as far as the user has approved them; a note that is new is told.
#[cfg(feature = "mcp")]
pub(super) async fn add_of_servers(assembly: &Assembly, servers: &crate::mcp::McpServers) {
    let before = assembly.skills.current();
    let sources = servers.skill_sources();
    let fresh = assembly.skills.add_sources(sources).await;
    tell_what_is_new(&before, &fresh);
}

#[cfg(any(feature = "chat", feature = "mcp"))]
fn tell_what_is_new(before: &SkillCatalog, fresh: &SkillCatalog) {
    for note in fresh.notes() {
        if !before.notes().contains(note) {
            let note = note.to_string();
            super::output::note(&format!("note: {}", super::output::one_line(&note)));
        }
    }
}

/// Says which embedded folders are no longer what this program was built from. It is for those who build it: without
/// debug assertions nothing is known of the folders.
pub(super) fn outdated(assembly: &Assembly) -> Vec<String> {
    let sets = assembly.skills.current().embedded_sets();
    let told = sets.into_iter().filter_map(|set| {
        let drift = set.drift();
        let first = drift.first()?;
        let more = match drift.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(format!(
            "`{}` of the package `{}` is no longer what is embedded ({first}{more})",
            set.folder(),
            set.package()
        ))
    });
    told.collect()
}

/// Keeps the folders of skills that may not be used from the tools that reach files.
#[cfg(feature = "files")]
fn shut(assembly: &mut Assembly, catalog: &SkillCatalog) {
    let hidden: Vec<String> = patterns(catalog).collect();
    if hidden.is_empty() {
        return;
    }
    let files =
        crate::sandbox::LocalFs::new(assembly.folder()).and_then(|files| files.deny(&hidden));
    match files {
        Ok(files) => assembly.grants.files = Some(Arc::new(files)),
        // A door that cannot be narrowed is closed.
        Err(error) => {
            super::output::error(&error);
            assembly.grants.files = None;
        }
    }
}

#[cfg(not(feature = "files"))]
fn shut(_: &mut Assembly, _: &SkillCatalog) {}

/// Writes the folders that are hidden as patterns, in which no character means anything but itself.
#[cfg(feature = "files")]
fn patterns(catalog: &SkillCatalog) -> impl Iterator<Item = String> {
    let paths = catalog.hidden_paths();
    paths.filter_map(|path| {
        let mut pattern = String::new();
        for c in path.canonicalize().ok()?.to_str()?.chars() {
            if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
                pattern.push('\\');
            }
            pattern.push(c);
        }
        Some(pattern)
    })
}
