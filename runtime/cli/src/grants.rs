//! The capabilities that an app grants to its tools: commands, files, the network, secrets, storage and the user.

use std::collections::BTreeSet;
use std::sync::Arc;

#[cfg(feature = "kv")]
use super::app::Package;
use super::app_context::AppContext;
use super::sandbox::SandboxFactory;
use super::tool_network::ToolNetworks;
use helve_core::capability::{GrantedSecrets, Grants};
#[cfg(feature = "http")]
use helve_core::network::HostRules;
#[cfg(all(feature = "files", feature = "skills"))]
use helve_core::sandbox::SandboxFs;
use helve_core::toolset::Toolset;
#[cfg(all(feature = "chat", feature = "files"))]
use helve_host::file_history::FileTracker;
#[cfg(all(feature = "files", feature = "skills"))]
use helve_terminal::output;

/// Adds the grants of a command that calls tools. In a chat, the changes of files on this machine are recorded.
pub(super) fn add(
    app: &mut AppContext,
    sandboxes: &SandboxFactory,
    networks: ToolNetworks,
    command: &str,
) {
    // The answer to a question of the agent comes from the user or another process, or says that no user is reachable.
    let asking = matches!(command, "chat" | "run").then(|| sandboxes.asking_about_blocked());
    let sandboxes = asking.as_ref().unwrap_or(sandboxes);
    app.grants = make(app, sandboxes, networks);
    #[cfg(all(feature = "chat", feature = "files"))]
    if command == "chat" && !sandboxes.choice.is_remote() {
        app.file_tracker = Some(track_changes(&mut app.grants));
    }
}

/// Creates the grants of the commands that call tools. Nothing is connected, started or read before a tool uses it.
fn make(app: &AppContext, sandboxes: &SandboxFactory, networks: ToolNetworks) -> Grants {
    let declared = declared_secrets(app.tools.granted()).into_iter();
    let names = declared.map(str::to_owned).chain(networks.secrets);
    let secrets = GrantedSecrets::new().with_variables(names);
    let mut grants = Grants {
        files: app.grants.files.clone(),
        client: Some(app.client.clone()),
        secrets: Some(Arc::new(secrets)),
        #[cfg(feature = "http")]
        http: http(&app.definition.network),
        tool_http: networks.networks,
        #[cfg(feature = "kv")]
        key_value: key_value(app.package),
        ..Grants::default()
    };
    sandboxes.grant(&mut grants);
    grants
}

/// Has the changes of files and of commands recorded, once a history is attached to the tracker.
#[cfg(all(feature = "chat", feature = "files"))]
fn track_changes(grants: &mut Grants) -> FileTracker {
    let tracker = FileTracker::new();
    let files = grants.files.take();
    grants.files = files.map(|files| tracker.track_files(files));
    let sandbox = grants.sandbox.take();
    grants.sandbox = sandbox.map(|sandbox| Arc::new(tracker.track_sandbox(sandbox)));
    tracker
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
    let path = super::session_folder::state_path(package.name).ok()?;
    Some(Arc::new(helve_state::KeyValueStore::lazy(path)))
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

/// Opens the files below folders, without the paths that match patterns. If a pattern cannot be denied, no file is
/// reached at all.
#[cfg(all(feature = "files", feature = "skills"))]
pub(super) fn files_without(
    folders: &[&std::path::Path],
    patterns: &[String],
) -> Option<Arc<dyn SandboxFs>> {
    let files =
        helve_host::sandbox::LocalFs::with_roots(folders).and_then(|files| files.deny(patterns));
    match files {
        Ok(files) => Some(Arc::new(files)),
        Err(error) => {
            output::error(&error);
            None
        }
    }
}
