//! The sandboxes that commands of the machine run in: which kind, what they allow, and the one place that opens them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::app::AppDefinition;
use super::config::{Config, ConfigError, Setting, SettingOrigin, resolve_path};
use super::permissions;
use helve_core::capability::Grants;
use helve_core::dangerous_paths::Guard;
use helve_core::sandbox::{Layer, LazySandbox, Sandbox, SandboxError, SandboxPolicy};
use helve_permission::DangerousPathSetting;
use helve_remote::{LazyFiles, SandboxChoice};

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
}

impl SandboxFactory {
    pub(super) fn new(source: SandboxSource<'_>) -> Result<Self, ConfigError> {
        let choice = choice(&source)?;
        Ok(Self {
            choice: choice.value,
            origin: choice.origin,
            policy: policy(source)?,
        })
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

    /// Grants commands in a new sandbox.
    pub(super) fn grant(&self, grants: &mut Grants) {
        let sandbox = Arc::new(self.lazy_sandbox());
        if self.choice.is_remote() {
            let folder = self.choice.folder().unwrap_or(&self.policy.workspace);
            // The files that a command writes there are the files that the tools read.
            grants.files = Some(Arc::new(LazyFiles::new(Arc::clone(&sandbox), folder)));
        }
        grants.sandbox = Some(sandbox);
    }
}

/// Chooses the kind: the flag has precedence over the app, and the app over the environment and the files.
fn choice(source: &SandboxSource<'_>) -> Result<Setting<SandboxChoice>, ConfigError> {
    let said = source.config.text(&["sandbox", "kind"])?;
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
    let texts = |key| config.list(&["sandbox", key]);
    let home = std::env::home_dir();
    let paths = |texts: Vec<String>| {
        let path = |text: String| resolve_path(source.folder, home.as_deref(), &text);
        texts.into_iter().map(path).collect::<Vec<PathBuf>>()
    };
    policy.network.allow.extend(texts("hosts")?);
    policy.network.deny.extend(texts("denied_hosts")?);
    policy.network.even_tainted.extend(texts("even_tainted")?);
    policy.writable.extend(paths(texts("writable")?));
    policy
        .writable
        .extend(workspace_folders(config, source.folder)?);
    policy.readable.extend(paths(texts("readable")?));
    policy.pass.extend(texts("environment")?);
    policy.protected.extend(texts("protected")?);
    policy.masked.extend(texts("masked")?);
    for path in permissions::added_dangerous_paths(config)? {
        restrict_path(&mut policy, &path, home.as_deref());
    }
    #[cfg(feature = "skills")]
    policy.masked_paths.extend(source.hidden);
    #[cfg(feature = "mcp")]
    policy.protected.extend(source.protected);
    let accepted = texts("accept_missing")?;
    let accepted = accepted.iter().filter_map(|name| Layer::from_name(name));
    policy.accepted.extend(accepted);
    if let Some(private) = config.boolean(&["sandbox", "private_networks"]) {
        policy.network.private = private;
    }
    if let Some(staged) = config.boolean(&["sandbox", "staged"]) {
        policy.staged = staged;
    }
    let limits = &mut policy.limits;
    for (key, unit, limit) in [
        ("memory_mib", 1 << 20, &mut limits.memory),
        ("file_size_mib", 1 << 20, &mut limits.file_size),
        ("processes", 1, &mut limits.processes),
    ] {
        if let Some(most) = config.integer(&["sandbox", key]) {
            *limit = Some(most.saturating_mul(unit));
        }
    }
    Ok(policy)
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
