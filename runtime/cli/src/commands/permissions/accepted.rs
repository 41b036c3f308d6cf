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
        .about("Lists what you have accepted on this machine: files of projects, MCP servers and skills")
        .arg(super::json_argument())
}

pub(super) fn revoke_command() -> Command {
    Command::new("revoke")
        .about("Revokes what you have accepted, of any project")
        .arg(Arg::new("name").value_name("NAME").required(true).help(
            "A path, or the name of an MCP server or a skill, as `permissions accepted` lists it",
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
        output::line("nothing is accepted");
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

/// Names what was accepted: a file by its path, everything else by its name and origin.
fn subject_text(one: &Acceptance) -> String {
    match one.path() {
        Some(path) => path.display().to_string(),
        None => format!("{}: {}", one.name, one.origin),
    }
}

/// Revokes what has a name or a path: 0 where it was accepted, 1 where it was not.
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
        output::note(&format!("error: nothing is accepted as `{wanted}`"));
        let binary = app.binary();
        output::note(&format!(
            "help: `{binary} permissions accepted` lists what is"
        ));
        return ExitCode::FAILURE;
    }
    for one in &revoked {
        let text = format!("no longer accepted: {}", subject_text(one));
        output::line(&sanitize::one_line(&text));
    }
    ExitCode::SUCCESS
}
