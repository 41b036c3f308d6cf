//! `permissions accepted` and `permissions revoke`.

use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};

use crate::app_context::AppContext;
use crate::{acceptance, exit, output, sanitize};
use helve_permission::acceptances::Acceptance;

pub(super) fn command() -> Command {
    Command::new("accepted")
        .about("List accepted project files, MCP servers and skills")
        .arg(super::json_argument())
}

pub(super) fn revoke_command() -> Command {
    Command::new("revoke")
        .about("Revoke an acceptance of any project")
        .arg(Arg::new("name").value_name("NAME").required(true).help(
            "The path, or the name of the MCP server or skill, as printed by `permissions accepted`",
        ))
}

pub(super) fn list(as_json: bool) -> ExitCode {
    let accepted = match acceptance::user_store().list() {
        Ok(accepted) => accepted,
        Err(error) => return exit::failed(&error),
    };
    if as_json {
        output::line(&Value::from_iter(accepted.iter().map(json_row)).to_string());
        return ExitCode::SUCCESS;
    }
    for one in &accepted {
        let (what, by, at) = (subject_text(one), &one.accepted_by, one.accepted_at);
        let text = format!("{:11}  {what}  (by {by}, {at})", one.kind);
        output::line(&sanitize::one_line(&text));
    }
    if accepted.is_empty() {
        output::line("no acceptances");
    }
    ExitCode::SUCCESS
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
pub(super) fn revoke(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    let wanted = matches.get_one::<String>("name").map_or("", String::as_str);
    let is_wanted = |one: &Acceptance| match one.path() {
        Some(path) => path == Path::new(wanted),
        None => one.name == wanted,
    };
    let revoked = match acceptance::user_store().revoke(is_wanted) {
        Ok(revoked) => revoked,
        Err(error) => return exit::failed(&error),
    };
    if revoked.is_empty() {
        let wanted = sanitize::one_line(wanted);
        output::note(&format!("error: no acceptance found for `{wanted}`"));
        let binary = app.binary();
        output::note(&format!(
            "help: run `{binary} permissions accepted` for a list"
        ));
        return ExitCode::FAILURE;
    }
    for one in &revoked {
        let text = format!("revoked {}", subject_text(one));
        output::line(&sanitize::one_line(&text));
    }
    ExitCode::SUCCESS
}
