//! `mcp login` and `mcp logout`.

use std::process::ExitCode;

use clap::Command;

use super::context::McpCommandContext;
use crate::exit;
use crate::exit::{CommandResult, OrExit as _};
use crate::mcp::open_logins;
use helve_mcp::LoginRequest;
use helve_terminal::{output, sanitize};

pub(super) fn command() -> Command {
    Command::new("login")
        .about("Log in to a server: prints a URL to open, and waits for the browser")
}

pub(super) async fn login(cx: &McpCommandContext<'_>, name: &str) -> CommandResult {
    let config = cx.server(name)?;
    let logins = open_logins(cx.app.package);
    let done = logins.login(&config, print_request).await.or_failed()?;
    output::one_line(&format!("logged in to `{name}` at {}", done.issuer));
    if !done.scopes.is_empty() {
        output::one_line(&format!("  scopes: {}", done.scopes.join(" ")));
    }
    if !done.is_renewed {
        let binary = cx.binary();
        output::one_line(&format!(
            "  the login cannot be refreshed; run `{binary} mcp login {name}` again when it expires"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn print_request(request: &LoginRequest) {
    output::line("Open this URL in your browser to log in:");
    output::line(&format!("\n  {}\n", sanitize::one_line(&request.url)));
    output::line("Waiting for the browser…");
}

pub(super) async fn logout(cx: &McpCommandContext<'_>, name: &str) -> CommandResult {
    let config = cx.server(name)?;
    let logins = open_logins(cx.app.package);
    if logins.logout(&config).await.or_failed()? {
        output::line(&format!(
            "removed the login of `{name}`; the token was not revoked at the server"
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let message = format_args!("not logged in to `{name}`");
    Err(exit::with_message(exit::FAILED, message))
}
