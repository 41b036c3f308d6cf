//! The doors of an app's tools, beside files: commands, the network, secrets and storage.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use clap::ArgMatches;

use super::assembly::Assembly;
use super::config::{Config, ConfigError};
use super::sandbox;
use crate::capability::GrantedSecrets;
use crate::sandbox::{LazyFiles, LazySandbox};

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
    let (sandbox, folder_elsewhere) = sandbox(assembly, config)?;
    let sandbox = Arc::new(sandbox);
    if let Some(folder) = folder_elsewhere {
        // What a command writes there, a tool that reads has to find.
        assembly.grants.files = Some(Arc::new(LazyFiles::new(Arc::clone(&sandbox), folder)));
    }
    assembly.grants.sandbox = Some(sandbox);
    Ok(())
}

/// Makes a sandbox as the settings have it, which is opened by whoever needs it first; with the folder in it that is worked
/// in, where that is not on this machine.
pub(super) fn sandbox(
    assembly: &Assembly,
    config: &Config,
) -> Result<(LazySandbox, Option<PathBuf>), ConfigError> {
    let choice = sandbox::choice(assembly, config)?.value;
    let policy = sandbox::policy(assembly, config)?;
    let folder = choice.folder().unwrap_or(&policy.workspace).to_owned();
    let folder = choice.is_elsewhere().then_some(folder);
    let known = (choice.clone(), policy.clone());
    let sandbox = LazySandbox::new(move || {
        let (choice, policy) = (choice.clone(), policy.clone());
        async move { crate::sandbox::open(&choice, policy).await }
    });
    let sandbox =
        sandbox.with_search_path(move || crate::sandbox::search_path_of(&known.0, &known.1));
    Ok((sandbox, folder))
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
