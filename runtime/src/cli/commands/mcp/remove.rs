//! `mcp remove`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Command;

use super::context::{CommandResult, McpCommandContext};
use crate::cli::config::SettingOrigin;
use crate::cli::mcp::{EditError, KnownServer, ServerOrigin, SettingsEditor, open_logins};
use crate::cli::{exit, output, sanitize};
use crate::mcp::McpServers;

pub(super) fn command() -> Command {
    Command::new("remove")
        .about("Takes a server out of the settings, and forgets what you approved of it and how you logged in")
}

pub(super) async fn run(cx: &McpCommandContext<'_>, name: &str) -> CommandResult {
    let Some(server) = cx.servers.get(name) else {
        // Who asks for one that is not there is told so, with the nearest.
        cx.server(name)?;
        return Err(ExitCode::FAILURE);
    };
    let path = match settings_file(server) {
        Ok(path) => path,
        Err(why) => {
            output::note(&format!("error: {}", sanitize::one_line(&why)));
            return Err(ExitCode::from(exit::FAILED));
        }
    };
    let removed = SettingsEditor::open(&path, &cx.app.setting_keys).and_then(|mut edit| {
        edit.remove(name)?;
        edit.save()
    });
    removed.map_err(|error: EditError| exit::failed(&error))?;
    output::line(&format!("removed from {}: {name}", path.display()));
    // What was approved of it, and who one was there, is no longer true of the next server of that name.
    let servers = McpServers::builder().build();
    if let Err(error) = servers.forget(name).await {
        output::error(&error);
    }
    if let Ok(config) = &server.config
        && matches!(open_logins(cx.app.package).logout(config).await, Ok(true))
    {
        output::line("its login is forgotten");
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the file that names a server; the error says why there is none that could be changed.
fn settings_file(server: &KnownServer) -> Result<PathBuf, String> {
    let name = &server.name;
    match &server.origin {
        ServerOrigin::Settings(SettingOrigin::File(position)) => Ok(position.path.clone()),
        ServerOrigin::Project(path) => Err(format!(
            "`{name}` is named in {}, which other programs read too: take it out there, or write `disabled = true` in \
             `[mcp.servers.{name}]` of your helve.toml",
            path.display()
        )),
        _ => Err(format!(
            "`{name}` is the app's own: write `disabled = true` in `[mcp.servers.{name}]` of your helve.toml"
        )),
    }
}
