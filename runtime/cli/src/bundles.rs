//! The bundles that the user has installed and accepted. Their skills, agents, commands, hooks and MCP servers are in force
//! as those of the user are, and give way to them.
//!
//! A program without the feature `skill-install` has no bundles.

#[cfg(any(
    feature = "agents",
    feature = "chat",
    feature = "hooks",
    feature = "mcp",
    feature = "skills"
))]
use std::path::PathBuf;
#[cfg(feature = "skill-install")]
use std::sync::LazyLock;

#[cfg(feature = "skill-install")]
use crate::acceptance;
#[cfg(all(feature = "skill-install", feature = "hooks"))]
use helve_hooks::{HookScope, HookSettings};
#[cfg(feature = "skill-install")]
use helve_permission::acceptances::AcceptanceState;
#[cfg(feature = "skill-install")]
use helve_skill_install::{BundleStore, BundleText, InstallError, InstalledBundle};
#[cfg(feature = "skill-install")]
use helve_terminal::output;

/// The bundles that were in force when the process first asked for them: each is read whole to compare its digest.
#[cfg(feature = "skill-install")]
static READ: LazyLock<ReadBundles> = LazyLock::new(|| {
    read().unwrap_or_else(|error| {
        output::error(&error);
        ReadBundles::default()
    })
});

#[cfg(feature = "skill-install")]
#[derive(Default)]
struct ReadBundles {
    in_force: Vec<InstalledBundle>,
    /// Why the others are not in force.
    notes: Vec<String>,
}

#[cfg(feature = "skill-install")]
fn read() -> Result<ReadBundles, InstallError> {
    let mut read = ReadBundles::default();
    let Some(store) = BundleStore::for_user() else {
        return Ok(read);
    };
    let acceptances = acceptance::user_store();
    for bundle in store.list()? {
        let bundle = match bundle {
            Ok(bundle) => bundle,
            Err(error) => {
                read.notes.push(error.to_string());
                continue;
            }
        };
        let name = bundle.name();
        match (
            store.state(&bundle, &acceptances)?,
            check_installed(&bundle),
        ) {
            (AcceptanceState::Accepted, Ok(())) => read.in_force.push(bundle),
            (AcceptanceState::Accepted, Err(error)) => read.notes.push(format!(
                "the bundle `{name}` is not in force: {error}; run `bundles remove {name}`"
            )),
            (state, _) => read.notes.push(format!(
                "the bundle `{name}` is not in force: {state}; run `bundles accept {name}`"
            )),
        }
    }
    Ok(read)
}

/// Reads the hooks of a bundle as a start does, and returns what is wrong with them. Servers that cannot be read are left
/// out where servers are.
#[cfg(feature = "skill-install")]
fn check_installed(bundle: &InstalledBundle) -> Result<(), String> {
    let hooks = bundle.hooks().map_err(|error| error.to_string())?;
    check_hooks(&hooks)
}

/// Reads hooks as a start does, and returns what is wrong with them.
#[cfg(feature = "skill-install")]
pub(crate) fn check_hooks(hooks: &[BundleText]) -> Result<(), String> {
    #[cfg(feature = "hooks")]
    for hooks in hooks {
        let read = HookSettings::from_claude(&hooks.text, &hooks.path, HookScope::User);
        read.map_err(|error| error.to_string())?;
    }
    let _ = hooks;
    Ok(())
}

/// Lists the folders of skills, and tells the user which bundles are not in force: commands that read skills begin a
/// session, or list what it has.
#[cfg(feature = "skills")]
pub(crate) fn skill_folders() -> Vec<PathBuf> {
    #[cfg(feature = "skill-install")]
    READ.notes.iter().for_each(|note| output::remark(note));
    #[cfg(feature = "skill-install")]
    return READ
        .in_force
        .iter()
        .flat_map(InstalledBundle::skill_folders)
        .collect();
    #[cfg(not(feature = "skill-install"))]
    Vec::new()
}

/// Returns the name of the bundle that a folder or a file is in.
#[cfg(any(feature = "agents", feature = "hooks", feature = "skills"))]
pub(crate) fn name_of(folder: &std::path::Path) -> Option<&'static str> {
    #[cfg(feature = "skill-install")]
    return READ
        .in_force
        .iter()
        .find(|bundle| folder.starts_with(&bundle.root))
        .map(InstalledBundle::name);
    #[cfg(not(feature = "skill-install"))]
    {
        let _ = folder;
        None
    }
}

/// Lists the folders and files of agents.
#[cfg(feature = "agents")]
pub(crate) fn agent_paths() -> Vec<PathBuf> {
    #[cfg(feature = "skill-install")]
    return READ
        .in_force
        .iter()
        .flat_map(InstalledBundle::agent_paths)
        .collect();
    #[cfg(not(feature = "skill-install"))]
    Vec::new()
}

/// Lists the folders and files of commands, each with the name of its bundle.
#[cfg(feature = "chat")]
pub(crate) fn command_paths() -> Vec<(String, PathBuf)> {
    #[cfg(feature = "skill-install")]
    return READ
        .in_force
        .iter()
        .flat_map(|bundle| {
            let paths = bundle.command_paths();
            paths.map(|path| (bundle.name().to_owned(), path))
        })
        .collect();
    #[cfg(not(feature = "skill-install"))]
    Vec::new()
}

/// Lists the settings of hooks, as files and their texts.
#[cfg(feature = "hooks")]
pub(crate) fn hook_texts() -> Vec<(PathBuf, String)> {
    #[cfg(feature = "skill-install")]
    return texts(InstalledBundle::hooks)
        .map(|(_, text)| (text.path, text.text))
        .collect();
    #[cfg(not(feature = "skill-install"))]
    Vec::new()
}

/// Lists the settings of MCP servers: the name of the bundle, the file and its text.
#[cfg(feature = "mcp")]
pub(crate) fn server_texts() -> Vec<(String, PathBuf, String)> {
    #[cfg(feature = "skill-install")]
    return texts(InstalledBundle::servers)
        .map(|(name, text)| (name, text.path, text.text))
        .collect();
    #[cfg(not(feature = "skill-install"))]
    Vec::new()
}

/// Reads texts of the bundles. A bundle that cannot be read is reported, and has none.
#[cfg(all(feature = "skill-install", any(feature = "hooks", feature = "mcp")))]
fn texts(
    read: impl Fn(&InstalledBundle) -> Result<Vec<BundleText>, InstallError>,
) -> impl Iterator<Item = (String, BundleText)> {
    READ.in_force.iter().flat_map(move |bundle| {
        let texts = read(bundle).unwrap_or_else(|error| {
            output::error(&error);
            Vec::new()
        });
        let name = bundle.name().to_owned();
        texts.into_iter().map(move |text| (name.clone(), text))
    })
}
