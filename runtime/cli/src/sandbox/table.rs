//! A table of the settings of a sandbox: `[sandbox]`, or the `[sandbox.NAME]` of a named one.

use std::path::{Path, PathBuf};

use crate::config::{Config, ConfigError, Setting, resolve_path};
use helve_core::sandbox::{Layer, SandboxPolicy};

/// The settings of one sandbox.
pub(super) struct SandboxTable<'a> {
    pub(super) config: &'a Config,
    /// The folder that relative paths start at.
    pub(super) folder: &'a Path,
    /// The name; `None` for the sandbox that most tools use.
    pub(super) name: Option<&'a str>,
}

/// Returns the names of the named sandboxes that have settings.
pub(super) fn names(config: &Config) -> Vec<&str> {
    let names = config.table_keys(&["sandbox"]).into_iter();
    let is_table = |name: &&str| !config.table_keys(&["sandbox", name]).is_empty();
    names.filter(is_table).collect()
}

impl SandboxTable<'_> {
    /// Applies the settings to a policy. Lists of what is forbidden are added. Lists of what is permitted are added to
    /// those of the app, and those of a named sandbox take the place of those that it inherits.
    pub(super) fn apply(&self, policy: &mut SandboxPolicy) -> Result<(), ConfigError> {
        self.permit(&mut policy.network.allow, self.texts("hosts")?);
        self.permit(
            &mut policy.network.even_tainted,
            self.texts("even_tainted")?,
        );
        self.permit(&mut policy.writable, self.paths("writable")?);
        self.permit(&mut policy.readable, self.paths("readable")?);
        self.permit(&mut policy.pass, self.texts("environment")?);
        if let Some(accepted) = self.texts("accept_missing")? {
            if self.name.is_some() {
                policy.accepted.clear();
            }
            let layers = accepted.iter().filter_map(|name| Layer::from_name(name));
            policy.accepted.extend(layers);
        }
        policy.network.deny.extend(self.all_texts("denied_hosts")?);
        policy.protected.extend(self.all_texts("protected")?);
        policy.masked.extend(self.all_texts("masked")?);
        let config = self.config;
        if let Some(private) = config.boolean(&self.place("private_networks")) {
            policy.network.private = private;
        }
        if let Some(staged) = config.boolean(&self.place("staged")) {
            policy.staged = staged;
        }
        let limits = &mut policy.limits;
        for (key, unit, limit) in [
            ("memory_mib", 1 << 20, &mut limits.memory),
            ("file_size_mib", 1 << 20, &mut limits.file_size),
            ("processes", 1, &mut limits.processes),
        ] {
            if let Some(most) = config.integer(&self.place(key)) {
                *limit = Some(most.saturating_mul(unit));
            }
        }
        Ok(())
    }

    /// Returns the kind of the sandbox, if it is set.
    pub(super) fn kind(&self) -> Result<Option<Setting<String>>, ConfigError> {
        self.config.text(&self.place("kind"))
    }

    fn permit<T>(&self, list: &mut Vec<T>, permitted: Option<Vec<T>>) {
        let Some(permitted) = permitted else {
            return;
        };
        if self.name.is_some() {
            list.clear();
        }
        list.extend(permitted);
    }

    fn place<'k>(&'k self, key: &'k str) -> Vec<&'k str> {
        let table = std::iter::once("sandbox").chain(self.name);
        table.chain([key]).collect()
    }

    fn texts(&self, key: &str) -> Result<Option<Vec<String>>, ConfigError> {
        let said = self.config.texts(&self.place(key))?;
        Ok(said.map(|said| said.value))
    }

    fn paths(&self, key: &str) -> Result<Option<Vec<PathBuf>>, ConfigError> {
        let home = std::env::home_dir();
        let path = |text: String| resolve_path(self.folder, home.as_deref(), &text);
        let texts = self.texts(key)?;
        Ok(texts.map(|texts| texts.into_iter().map(path).collect()))
    }

    /// Returns the texts of all sources: none of them can permit again what another one forbids.
    fn all_texts(&self, key: &str) -> Result<Vec<String>, ConfigError> {
        let said = self.config.cumulative_texts(&self.place(key))?;
        Ok(said.into_iter().flat_map(|said| said.value).collect())
    }
}
