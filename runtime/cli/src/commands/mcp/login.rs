//! `mcp login` and `mcp logout`.

use std::process::ExitCode;

use clap::Command;

use super::context::{CommandResult, McpCommandContext, print_line};
use crate::mcp::open_logins;
use crate::{exit, output, sanitize};
use helve_mcp::LoginRequest;

pub(super) fn command() -> Command {
    Command::new("login").about("Logs you in to a server: shows an address to open, and waits")
}

pub(super) fn logout_command() -> Command {
    Command::new("logout").about("Forgets the login to a server")
}

pub(super) async fn login(cx: &McpCommandContext<'_>, name: &str) -> CommandResult {
    let config = cx.server(name)?;
    let logins = open_logins(cx.app.package);
    let done = logins.login(&config, print_request).await;
    let done = done.map_err(|error| exit::failed(&error))?;
    print_line(&format!("logged in to `{name}` at {}", done.issuer));
    if !done.scopes.is_empty() {
        print_line(&format!("  for: {}", done.scopes.join(" ")));
    }
    if !done.is_renewed {
        let binary = cx.binary();
        print_line(&format!(
            "  the login cannot be renewed: when it runs out, `{binary} mcp login {name}` again"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn print_request(request: &LoginRequest) {
    output::line("Open this address in your browser, and log in there:");
    output::line(&format!("\n  {}\n", sanitize::one_line(&request.url)));
    output::line("Waiting until the browser comes back…");
}

pub(super) async fn logout(cx: &McpCommandContext<'_>, name: &str) -> CommandResult {
    let config = cx.server(name)?;
    let was_there = open_logins(cx.app.package).logout(&config).await;
    if was_there.map_err(|error| exit::failed(&error))? {
        output::line(&format!(
            "the login to `{name}` is forgotten here; the server does not hear of it"
        ));
        return Ok(ExitCode::SUCCESS);
    }
    output::note(&format!("error: you are not logged in to `{name}`"));
    Ok(ExitCode::from(exit::FAILED))
}
