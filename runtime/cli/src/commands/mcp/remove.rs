//! `mcp remove`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Command;

use super::context::McpCommandContext;
use crate::config::SettingOrigin;
use crate::config::SettingsEditor;
use crate::exit;
use crate::exit::{CommandResult, OrExit as _};
use crate::mcp::{KnownServer, ServerOrigin, open_logins};
use helve_mcp::McpServers;
use helve_terminal::{output, sanitize};

pub(super) fn command() -> Command {
    Command::new("remove").about("Remove a server from the settings, with its approval and login")
}

pub(super) async fn run(cx: &McpCommandContext<'_>, name: &str) -> CommandResult {
    let Some(server) = cx.servers.get(name) else {
        // Reports an unknown server with the nearest name.
        cx.server(name)?;
        return Err(ExitCode::FAILURE);
    };
    let path = settings_file(server)
        .map_err(|why| exit::with_message(exit::FAILED, sanitize::one_line(&why)))?;
    let removed = SettingsEditor::open(&path, &cx.app.setting_keys).and_then(|mut edit| {
        edit.remove(name)?;
        edit.save()
    });
    removed.or_failed()?;
    output::line(&format!("removed `{name}` from {}", path.display()));
    // The approval and the login do not apply to another server of the same name.
    let servers = McpServers::builder().build();
    if let Err(error) = servers.forget(name).await {
        output::error(&error);
    }
    if let Ok(config) = &server.config
        && matches!(open_logins(cx.app.package).logout(config).await, Ok(true))
    {
        output::line(&format!("removed the login of `{name}`"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the file that configures a server; the error explains why the server cannot be removed from a file.
fn settings_file(server: &KnownServer) -> Result<PathBuf, String> {
    let name = &server.name;
    match &server.origin {
        ServerOrigin::Settings(SettingOrigin::File(position)) => Ok(position.path.clone()),
        ServerOrigin::Project(path) => Err(format!(
            "`{name}` is configured in {}, which other programs read: remove it there, or set `disabled = true` in \
             `[mcp.servers.{name}]` of your helve.toml",
            path.display()
        )),
        ServerOrigin::Bundle(bundle) => Err(format!(
            "`{name}` is of the bundle `{bundle}`: set `disabled = true` in `[mcp.servers.{name}]` of your helve.toml, \
             or run `bundles remove {bundle}`"
        )),
        _ => Err(format!(
            "`{name}` is configured by the app: set `disabled = true` in `[mcp.servers.{name}]` of your helve.toml"
        )),
    }
}
