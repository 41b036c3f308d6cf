//! `permissions accepted` and `permissions revoke`.

use std::path::Path;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _};
use crate::{acceptance, args};
use helve_permission::acceptances::Acceptance;
use helve_terminal::{output, sanitize};

pub(super) fn command() -> Command {
    Command::new("accepted")
        .about("List accepted project files, MCP servers and skills")
        .arg(args::json())
}

pub(super) fn revoke_command() -> Command {
    let name = args::positional(
        "name",
        "NAME",
        "The path, or the name of the MCP server or skill, as printed by `permissions accepted`",
    );
    Command::new("revoke")
        .about("Revoke an acceptance of any project")
        .arg(name.required(true))
}

pub(super) fn list(as_json: bool) -> CommandResult {
    let accepted = acceptance::user_store().list().or_failed()?;
    if as_json {
        output::line(&Value::from_iter(accepted.iter().map(json_row)).to_string());
        return Ok(ExitCode::SUCCESS);
    }
    for one in &accepted {
        let (what, by, at) = (subject_text(one), &one.accepted_by, one.accepted_at);
        output::one_line(&format!("{:11}  {what}  (by {by}, {at})", one.kind));
    }
    if accepted.is_empty() {
        output::line("no acceptances");
    }
    Ok(ExitCode::SUCCESS)
}

fn json_row(one: &Acceptance) -> Value {
    json!({
        "kind": one.kind,
        "name": one.name,
        "origin": one.origin,
        "digest": one.digest,
        "accepted_by": one.accepted_by,
        "accepted_at": one.accepted_at,
    })
}

/// Describes an acceptance: a file by its path, and other subjects by name and origin.
fn subject_text(one: &Acceptance) -> String {
    match one.path() {
        Some(path) => path.display().to_string(),
        None => format!("{}: {}", one.name, one.origin),
    }
}

/// Revokes the acceptances of a name or a path. The exit code is 0 if there was one, and 1 otherwise.
pub(super) fn revoke(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let wanted = args::text(matches, "name");
    let is_wanted = |one: &Acceptance| match one.path() {
        Some(path) => path == Path::new(wanted),
        None => one.name == wanted,
    };
    let revoked = acceptance::user_store().revoke(is_wanted).or_failed()?;
    if revoked.is_empty() {
        let wanted = sanitize::one_line(wanted);
        let binary = app.binary();
        let message = format_args!(
            "no acceptance found for `{wanted}`\nhelp: run `{binary} permissions accepted` for a list"
        );
        return Err(exit::with_message(exit::FAILED, message));
    }
    for one in &revoked {
        output::one_line(&format!("revoked {}", subject_text(one)));
    }
    Ok(ExitCode::SUCCESS)
}
