//! The capabilities that an app grants to its tools: commands, files, the network, secrets, storage and the user.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::app::Package;
use super::cli_client::CliClient;
#[cfg(all(feature = "files", feature = "skills"))]
use super::output;
use super::sandbox::SandboxFactory;
use helve_core::capability::{GrantedSecrets, Grants};
use helve_core::network::HostRules;
use helve_core::sandbox::SandboxFs;
use helve_core::toolset::Toolset;

/// The sources of grants.
pub(super) struct GrantSource<'a> {
    pub(super) package: Package,
    /// The files below the root, where the tools may reach files.
    pub(super) files: Option<Arc<dyn SandboxFs>>,
    pub(super) client: Arc<CliClient>,
    /// The tools that the app grants.
    pub(super) tools: &'a Toolset,
    /// The hosts that the tools reach.
    pub(super) network: &'a HostRules,
    pub(super) sandboxes: &'a SandboxFactory,
}

/// Creates the grants of the commands that call tools. Nothing is connected, started or read before a tool uses it.
pub(super) fn make(source: GrantSource<'_>) -> Grants {
    let secrets = GrantedSecrets::new().with_variables(declared_secrets(source.tools));
    let mut grants = Grants {
        files: source.files,
        client: Some(source.client),
        secrets: Some(Arc::new(secrets)),
        #[cfg(feature = "http")]
        http: http(source.network),
        #[cfg(feature = "kv")]
        key_value: key_value(source.package),
        ..Grants::default()
    };
    #[cfg(not(feature = "http"))]
    let _ = source.network;
    #[cfg(not(feature = "kv"))]
    let _ = source.package;
    source.sandboxes.grant(&mut grants);
    grants
}

/// Creates the HTTP client. Rules that cannot be parsed grant none; `doctor` reports them.
#[cfg(feature = "http")]
fn http(network: &HostRules) -> Option<Arc<dyn helve_core::capability::HttpBackend>> {
    let http = helve_host::guarded_http::GuardedHttp::new(network);
    http.ok().map(|http| Arc::new(http) as Arc<_>)
}

/// Creates the key-value store, which is opened at its first use.
#[cfg(feature = "kv")]
fn key_value(package: Package) -> Option<Arc<dyn helve_core::capability::KeyValueBackend>> {
    let path = super::session_folder::store_path(package.name).ok()?;
    Some(Arc::new(helve_host::key_value::KeyValueStore::lazy(path)))
}

/// Lists the secrets that tools declare; granting a tool grants its declared secrets.
fn declared_secrets(tools: &Toolset) -> BTreeSet<&'static str> {
    let tools = tools.tools();
    let definitions = tools.iter().filter_map(|tool| tool.definition());
    definitions
        .flat_map(|tool| tool.requires().secrets)
        .copied()
        .collect()
}

/// Opens the files below a folder, without the paths that match patterns. If a pattern cannot be denied, no file is
/// reached at all.
#[cfg(all(feature = "files", feature = "skills"))]
pub(super) fn files_without(
    folder: &std::path::Path,
    patterns: &[String],
) -> Option<Arc<dyn SandboxFs>> {
    let files = helve_host::sandbox::LocalFs::new(folder).and_then(|files| files.deny(patterns));
    match files {
        Ok(files) => Some(Arc::new(files)),
        Err(error) => {
            output::error(&error);
            None
        }
    }
}
