//! `sessions`: what was recorded, and what waits for an answer.

mod answer;
mod list;
mod show;

use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::app_context::AppContext;
use crate::exit::WRONG_USAGE;
use crate::{output, session_folder};
use helve_agent::session::{ExportFormat, SessionError, Sessions};
use helve_core::transcript::{CallAddress, SessionId};
use helve_results::FolderSpill;

pub(super) fn command() -> Command {
    let json = || {
        Arg::new("json")
            .long("json")
            .action(ArgAction::SetTrue)
            .help("Print JSON")
    };
    let id = || Arg::new("id").value_name("ID").required(true);
    let call = Arg::new("call")
        .value_name("CALL")
        .required(true)
        .value_parser(|text: &str| {
            text.parse::<CallAddress>()
                .map_err(|error| error.to_string())
        })
        .help("The call, as printed by `sessions show`");
    Command::new("sessions")
        .about("Manage recorded sessions")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("list")
                .about("List the sessions, the most recent first")
                .arg(json()),
        )
        .subcommand(
            Command::new("show")
                .about("Show the state of a session and its pending calls")
                .arg(id())
                .arg(json()),
        )
        .subcommand(fork_command(id()))
        .subcommand(export_command(id()))
        .subcommand(
            Command::new("rm")
                .about("Remove sessions")
                .arg(id().action(ArgAction::Append).num_args(1..)),
        )
        .subcommand(answer::answer_command(id(), call.clone()))
        .subcommand(answer::result_command(id(), call))
}

fn fork_command(id: Arg) -> Command {
    let at = Arg::new("at")
        .long("at")
        .value_name("N")
        .value_parser(value_parser!(u64))
        .help("The last entry to copy [default: the last entry of the session]");
    Command::new("fork")
        .about("Copy a session up to an entry into a new session, and print its id")
        .arg(id)
        .arg(at)
}

fn export_command(id: Arg) -> Command {
    let format = Arg::new("format")
        .long("format")
        .value_parser(["markdown", "json"])
        .default_value("markdown")
        .help("The output format");
    let output = Arg::new("output")
        .long("output")
        .short('o')
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help("The output file [default: standard output]");
    Command::new("export")
        .about("Export a session as a document")
        .arg(id)
        .arg(format)
        .arg(output)
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    let name = app.package.name;
    let opened = session_folder::sessions(name)
        .and_then(|sessions| Ok((sessions, session_folder::result_spill(name)?)));
    let (sessions, results) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            output::error(&error);
            return ExitCode::FAILURE;
        }
    };
    let done = match matches.subcommand() {
        Some(("show", matches)) => show::run(&sessions, app, matches).await,
        Some(("fork", matches)) => fork(&sessions, &results, matches).await,
        Some(("export", matches)) => export(&sessions, matches).await,
        Some(("rm", matches)) => remove(&sessions, &results, matches).await,
        Some(("answer", matches)) => answer::post_answer(&sessions, matches).await,
        Some(("result", matches)) => answer::post_result(&sessions, matches).await,
        Some((_, matches)) => list::run(&sessions, matches).await,
        None => Ok(ExitCode::SUCCESS),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            output::error(&error);
            exit_code(&error)
        }
    }
}

/// The question was wrong where it named what is not there; else something failed.
fn exit_code(error: &SessionError) -> ExitCode {
    match error {
        SessionError::Unknown { .. }
        | SessionError::InvalidId { .. }
        | SessionError::NoSuchEntry { .. }
        | SessionError::StalePosting { .. } => ExitCode::from(WRONG_USAGE),
        _ => ExitCode::FAILURE,
    }
}

fn session_id(matches: &ArgMatches) -> SessionId {
    let id = matches.get_one::<String>("id");
    SessionId::from(id.map(String::as_str).unwrap_or_default())
}

async fn fork(
    sessions: &Sessions,
    results: &FolderSpill,
    matches: &ArgMatches,
) -> Result<ExitCode, SessionError> {
    let at = matches.get_one::<u64>("at").copied();
    let from = session_id(matches);
    let fork = sessions.fork(&from, at).await?;
    if let Err(error) = results.copy(&from, fork.id()).await {
        // The conversation is whole; what was cut of its results cannot be read on.
        output::error(&error);
    }
    output::line(fork.id());
    Ok(ExitCode::SUCCESS)
}

async fn export(sessions: &Sessions, matches: &ArgMatches) -> Result<ExitCode, SessionError> {
    let form = match matches.get_one::<String>("format").map(String::as_str) {
        Some("json") => ExportFormat::Json,
        _ => ExportFormat::Markdown,
    };
    let text = sessions.export(&session_id(matches), form).await?;
    let Some(file) = matches.get_one::<PathBuf>("output") else {
        output::print(&text);
        return Ok(ExitCode::SUCCESS);
    };
    if let Err(error) = std::fs::write(file, text) {
        output::note(&format!(
            "error: failed to write `{}`: {error}",
            file.display()
        ));
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Removes all sessions that can be removed, and reports the others.
async fn remove(
    sessions: &Sessions,
    results: &FolderSpill,
    matches: &ArgMatches,
) -> Result<ExitCode, SessionError> {
    let mut code = ExitCode::SUCCESS;
    for id in matches.get_many::<String>("id").into_iter().flatten() {
        let id = SessionId::from(id.as_str());
        if let Err(error) = sessions.remove(&id).await {
            output::error(&error);
            code = exit_code(&error);
        } else if let Err(error) = results.remove(&id).await {
            output::error(&error);
            code = ExitCode::FAILURE;
        }
    }
    Ok(code)
}

/// Returns the text of an argument; `-` reads standard input.
fn read_argument(argument: &str) -> std::io::Result<String> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    Ok(text)
}
