//! The doors of an app's tools, beside files: commands, the network, secrets and storage.

use std::collections::BTreeSet;
use std::sync::Arc;

use clap::ArgMatches;

use super::assembly::Assembly;
use super::config::{Config, ConfigError};
use super::sandbox;
use crate::capability::{GrantedSecrets, Grants};
use crate::sandbox::{LazyFiles, LazySandbox, SandboxChoice, SandboxPolicy};

/// Opens the doors for the commands that call tools. Nothing is connected, started or read before a tool asks for it.
pub(super) fn open(assembly: &mut Assembly, matches: &ArgMatches) -> Result<(), ConfigError> {
    let config = Config::load(assembly.folder(), matches)?;
    commands(assembly, &config)?;
    assembly.grants.client = Some(assembly.client.clone());
    let secrets = GrantedSecrets::new().variables(declared_secrets(assembly));
    assembly.grants.secrets = Some(Arc::new(secrets));
    #[cfg(feature = "http")]
    {
        let http = crate::capability::GuardedHttp::new(&assembly.network);
        // Rules that cannot be read open nothing; `doctor` says so.
        assembly.grants.http = http.ok().map(|http| Arc::new(http) as Arc<_>);
    }
    #[cfg(feature = "kv")]
    if let Ok(path) = super::session_folder::store(assembly.package.name) {
        let store = crate::capability::KeyValueStore::lazy(path);
        assembly.grants.key_value = Some(Arc::new(store));
    }
    Ok(())
}

/// Grants commands, in a sandbox that is opened by the first one.
fn commands(assembly: &mut Assembly, config: &Config) -> Result<(), ConfigError> {
    Sandboxes::of(assembly, config)?.grant(&mut assembly.grants);
    Ok(())
}

/// Makes sandboxes as the settings have them.
pub(super) struct Sandboxes {
    choice: SandboxChoice,
    policy: SandboxPolicy,
}

impl Sandboxes {
    pub(super) fn of(assembly: &Assembly, config: &Config) -> Result<Self, ConfigError> {
        Ok(Self {
            choice: sandbox::choice(assembly, config)?.value,
            policy: sandbox::policy(assembly, config)?,
        })
    }

    /// Makes a sandbox, which is opened by whoever needs it first.
    pub(super) fn make(&self) -> LazySandbox {
        let (choice, policy) = (self.choice.clone(), self.policy.clone());
        let known = (choice.clone(), policy.clone());
        let sandbox = LazySandbox::new(move || {
            let (choice, policy) = (choice.clone(), policy.clone());
            async move { crate::sandbox::open(&choice, policy).await }
        });
        sandbox.with_search_path(move || crate::sandbox::search_path_of(&known.0, &known.1))
    }

    /// Grants commands in a sandbox of their own.
    pub(super) fn grant(&self, grants: &mut Grants) {
        let sandbox = Arc::new(self.make());
        if self.choice.is_elsewhere() {
            let folder = self.choice.folder().unwrap_or(&self.policy.workspace);
            // What a command writes there, a tool that reads has to find.
            grants.files = Some(Arc::new(LazyFiles::new(Arc::clone(&sandbox), folder)));
        }
        grants.sandbox = Some(sandbox);
    }
}

/// Lists the secrets that the granted tools declare: who granted a tool has seen what it declares.
pub(super) fn declared_secrets(assembly: &Assembly) -> BTreeSet<&'static str> {
    let tools = assembly.tools.granted().tools();
    let definitions = tools.iter().filter_map(|tool| tool.definition());
    definitions
        .flat_map(|tool| tool.requires().secrets)
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_granted_commands_has_a_sandbox_of_their_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let sandboxes = Sandboxes {
            choice: SandboxChoice::Passthrough,
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
