//! The sandboxes that commands of the machine run in: which kind, what they allow, and the one place that opens them.

mod table;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::app::AppDefinition;
use super::config::{Config, ConfigError, KeyPath, Setting, SettingOrigin, resolve_path};
use super::permissions;
use helve_core::capability::{Grants, ToolSandbox};
use helve_core::dangerous_paths::Guard;
use helve_core::registry::nearest;
use helve_core::sandbox::{LazySandbox, Sandbox, SandboxError, SandboxFs, SandboxPolicy};
use helve_permission::DangerousPathSetting;
use helve_remote::{LazyFiles, SandboxChoice};
use table::SandboxTable;

pub(super) struct SandboxSource<'a> {
    pub(super) config: &'a Config,
    pub(super) folder: &'a Path,
    pub(super) app: &'a AppDefinition,
    /// The folders of skills that must not be used.
    #[cfg(feature = "skills")]
    pub(super) hidden: Vec<PathBuf>,
    /// The folders of the workspace whose programs run outside of the sandbox.
    #[cfg(feature = "mcp")]
    pub(super) protected: Vec<String>,
}

#[derive(Debug, Clone)]
pub(super) struct SandboxFactory {
    pub(super) choice: SandboxChoice,
    pub(super) origin: SettingOrigin,
    pub(super) policy: SandboxPolicy,
    /// The named sandboxes beside it.
    pub(super) named: Vec<NamedSandbox>,
}

/// A sandbox of `[sandbox.NAME]`.
#[derive(Debug, Clone)]
pub(super) struct NamedSandbox {
    pub(super) name: String,
    /// The names of the tools that use it, in which `*` matches any characters.
    pub(super) tools: Vec<String>,
    pub(super) factory: SandboxFactory,
}

impl<'a> SandboxSource<'a> {
    fn table(&self, name: Option<&'a str>) -> SandboxTable<'a> {
        SandboxTable {
            config: self.config,
            folder: self.folder,
            name,
        }
    }
}

impl SandboxFactory {
    pub(super) fn new(source: SandboxSource<'_>) -> Result<Self, ConfigError> {
        let choice = choice(&source)?;
        let (config, folder) = (source.config, source.folder);
        let mut factory = Self {
            choice: choice.value,
            origin: choice.origin,
            policy: policy(source)?,
            named: Vec::new(),
        };
        factory.named = named_sandboxes(config, folder, &factory)?;
        Ok(factory)
    }

    /// Returns the sandboxes of a session in which blocked hosts and folders are asked about.
    pub(super) fn asking_about_blocked(&self) -> Self {
        let mut asking = self.clone();
        asking.policy.ask_blocked = true;
        for named in &mut asking.named {
            named.factory.policy.ask_blocked = true;
        }
        asking
    }

    pub(super) async fn open(&self) -> Result<Arc<dyn Sandbox>, SandboxError> {
        helve_remote::open(&self.choice, self.policy.clone()).await
    }

    /// Creates a sandbox that is opened at its first use.
    pub(super) fn lazy_sandbox(&self) -> LazySandbox {
        let (opened, searched) = (self.clone(), self.clone());
        let sandbox = LazySandbox::new(move || {
            let factory = opened.clone();
            async move { factory.open().await }
        });
        sandbox.with_search_path(move || {
            helve_remote::search_path_of(&searched.choice, &searched.policy)
        })
    }

    /// Grants commands in a new sandbox, and in a new one of each name that tools use.
    pub(super) fn grant(&self, grants: &mut Grants) {
        let local = grants.files.clone();
        let named = self.named.iter().filter(|named| !named.tools.is_empty());
        let named = named.map(|named| {
            let (sandbox, files) = named.factory.new_sandbox(local.clone());
            ToolSandbox {
                tools: named.tools.clone(),
                sandbox,
                files,
            }
        });
        grants.tool_sandboxes = named.collect();
        let (sandbox, files) = self.new_sandbox(local);
        grants.sandbox = Some(sandbox);
        grants.files = files;
    }

    /// Creates a sandbox, and returns the files of the tools that use it: those of this machine, or of another one.
    fn new_sandbox(
        &self,
        local: Option<Arc<dyn SandboxFs>>,
    ) -> (Arc<LazySandbox>, Option<Arc<dyn SandboxFs>>) {
        let sandbox = Arc::new(self.lazy_sandbox());
        if !self.choice.is_remote() {
            return (sandbox, local);
        }
        let folder = self.choice.folder().unwrap_or(&self.policy.workspace);
        // The files that a command writes there are the files that the tools read.
        let files = LazyFiles::new(Arc::clone(&sandbox), folder);
        (sandbox, Some(Arc::new(files)))
    }
}

/// Chooses the kind: the flag has precedence over the app, and the app over the environment and the files.
fn choice(source: &SandboxSource<'_>) -> Result<Setting<SandboxChoice>, ConfigError> {
    let said = source.table(None).kind()?;
    let is_argument = |said: &Setting<String>| matches!(said.origin, SettingOrigin::Flag(_));
    match (said, &source.app.sandbox) {
        (said, Some(own)) if !said.as_ref().is_some_and(is_argument) => Ok(Setting {
            value: own.clone(),
            origin: SettingOrigin::App,
        }),
        (Some(said), _) => Ok(Setting {
            // An invalid kind is an error when the settings are read.
            value: said.value.parse().unwrap_or_default(),
            origin: said.origin,
        }),
        (None, _) => Ok(Setting {
            value: SandboxChoice::default(),
            origin: SettingOrigin::Default,
        }),
    }
}

/// Returns the folders of the settings that belong to the workspace.
pub(super) fn workspace_folders(
    config: &Config,
    folder: &Path,
) -> Result<Vec<PathBuf>, ConfigError> {
    let home = std::env::home_dir();
    let folders = config.list(&["workspace", "folders"])?;
    let folders = folders.iter();
    Ok(folders
        .map(|text| {
            let path = resolve_path(folder, home.as_deref(), text);
            // A folder that is not there is an error where it is opened.
            path.canonicalize().unwrap_or(path)
        })
        .collect())
}

/// Creates the policy: the policy of the app, and then the settings.
fn policy(source: SandboxSource<'_>) -> Result<SandboxPolicy, ConfigError> {
    let config = source.config;
    let mut policy = SandboxPolicy::new(source.folder);
    for settings in &source.app.sandbox_settings {
        settings(&mut policy);
    }
    source.table(None).apply(&mut policy)?;
    policy
        .writable
        .extend(workspace_folders(config, source.folder)?);
    let home = std::env::home_dir();
    for path in permissions::guarded_paths(source.app, config, source.folder)? {
        restrict_path(&mut policy, &path, home.as_deref());
    }
    #[cfg(feature = "skills")]
    policy.masked_paths.extend(source.hidden);
    #[cfg(feature = "mcp")]
    policy.protected.extend(source.protected);
    Ok(policy)
}

/// Creates the named sandboxes. Each has the settings of `[sandbox]` except those that its own table sets.
fn named_sandboxes(
    config: &Config,
    folder: &Path,
    main: &SandboxFactory,
) -> Result<Vec<NamedSandbox>, ConfigError> {
    let names = table::names(config);
    let users = tools_by_sandbox(config, &names)?;
    let named = names.into_iter().map(|name| {
        let own = SandboxTable {
            config,
            folder,
            name: Some(name),
        };
        let mut policy = main.policy.clone();
        own.apply(&mut policy)?;
        let workspace = workspace_folders(config, folder)?;
        for folder in workspace {
            if !policy.writable.contains(&folder) {
                policy.writable.push(folder);
            }
        }
        let place = KeyPath::new(["sandbox", name]);
        let origin = config.table_origin(&place).cloned();
        // An invalid kind is an error when the settings are read.
        let kind = own.kind()?.and_then(|said| said.value.parse().ok());
        let tools = users.iter().filter(|(_, sandbox)| sandbox == name);
        Ok(NamedSandbox {
            name: name.to_owned(),
            tools: tools.map(|(tool, _)| (*tool).to_owned()).collect(),
            factory: SandboxFactory {
                choice: kind.unwrap_or_else(|| main.choice.clone()),
                origin: origin.unwrap_or(SettingOrigin::Default),
                policy,
                named: Vec::new(),
            },
        })
    });
    named.collect()
}

/// Returns the tools that have a sandbox of their own, with its name.
fn tools_by_sandbox<'c>(
    config: &'c Config,
    names: &[&str],
) -> Result<Vec<(&'c str, String)>, ConfigError> {
    let mut users = Vec::new();
    for tool in config.table_keys(&["tools"]) {
        let place = ["tools", tool, "sandbox"];
        let Some(Setting { value, .. }) = config.text(&place)? else {
            continue;
        };
        if !names.contains(&&*value) {
            let place = KeyPath::new(place);
            let hint = match nearest(&value, names.iter().copied()) {
                Some(near) => format!("did you mean {near:?}?"),
                None => format!(
                    "set what it is to be in `[sandbox.{}]`",
                    KeyPath::new([&*value])
                ),
            };
            let what = format!("`{place}`: unknown sandbox {value:?}; {hint}");
            return Err(config.table_error(&place, what));
        }
        users.push((tool, value));
    }
    Ok(users)
}

/// Keeps a dangerous path of the settings from commands: what asks before it is read shows nothing, the rest stays as it is.
fn restrict_path(policy: &mut SandboxPolicy, path: &DangerousPathSetting, home: Option<&Path>) {
    let pattern = path.pattern.trim_start_matches("**/");
    let name = pattern.trim_end_matches('/');
    let is_secret = path.on_read >= Guard::Asks;
    if is_secret && !pattern.contains(['/', '~']) {
        policy.masked.push(name.to_owned());
        return;
    }
    let place = resolve_path(&policy.workspace, home, name);
    if is_secret && place.exists() {
        policy.masked_paths.push(place);
    } else if let Ok(below) = place.strip_prefix(&policy.workspace)
        && path.on_write >= Guard::Asks
    {
        policy.protected.push(below.to_string_lossy().into_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_granted_commands_has_a_sandbox_of_their_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let sandboxes = SandboxFactory {
            choice: SandboxChoice::Passthrough,
            origin: SettingOrigin::Default,
            policy: SandboxPolicy::new(folder.path()),
            named: Vec::new(),
        };
        let [mut one, mut other] = [Grants::default(), Grants::default()];
        sandboxes.grant(&mut one);
        sandboxes.grant(&mut other);
        let (one, other) = (
            one.sandbox.expect("it is granted"),
            other.sandbox.expect("it is granted"),
        );
        assert!(!Arc::ptr_eq(&one, &other));
    }
}
