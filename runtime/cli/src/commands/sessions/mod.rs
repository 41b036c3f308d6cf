//! `sessions`: what was recorded, and what waits for an answer.

mod answer;
mod arguments;
mod events;
mod say;
#[cfg(feature = "session-search")]
mod search;
mod show;
mod waiting;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use arguments::session_id;

use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _, WRONG_USAGE};
use crate::session_export::DocumentFormat;
use crate::session_table::table;
use crate::{args, session_folder};
use helve_agent::session::{SessionError, Sessions};
use helve_core::transcript::{CallAddress, SessionId};
use helve_results::FolderSpill;
use helve_terminal::output;

#[cfg(feature = "jobs")]
pub(super) use show::waiting_json;

pub(super) fn command() -> Command {
    let id = args::positional("id", "ID", "The session, as printed by `sessions list`");
    let id = || id.clone().required(true);
    let parse_call = |text: &str| {
        text.parse::<CallAddress>()
            .map_err(|error| error.to_string())
    };
    let call = args::positional("call", "CALL", "The call, as printed by `sessions show`")
        .required(true)
        .value_parser(parse_call);
    let command = Command::new("sessions")
        .about("List the recorded sessions, and manage them")
        .arg(args::json())
        .subcommand(
            Command::new("list")
                .about("List the sessions, the most recent first (the default)")
                .arg(args::json()),
        )
        .subcommand(
            Command::new("show")
                .about("Show the state of a session and its pending calls")
                .arg(id())
                .arg(args::json()),
        )
        .subcommand(
            Command::new("waiting")
                .about("List what waits for an answer or a result, in all sessions")
                .arg(args::json()),
        )
        .subcommand(events::command(id()))
        .subcommand(fork_command(id()))
        .subcommand(export_command(id()))
        .subcommand(
            Command::new("rm")
                .about("Remove sessions")
                .arg(id().action(ArgAction::Append).num_args(1..)),
        )
        .subcommand(answer::answer_command(id(), call.clone()))
        .subcommand(answer::result_command(id(), call))
        .subcommand(say::say_command(id()))
        .subcommand(say::stop_command(id()))
        .subcommand(say::revoke_command(id()));
    #[cfg(feature = "session-search")]
    let command = command.subcommand(search::command());
    command
}

fn fork_command(id: Arg) -> Command {
    let at = args::option(
        "at",
        "N",
        "The last entry to copy [default: the last entry of the session]",
    );
    Command::new("fork")
        .about("Copy a session up to an entry into a new session, and print its id")
        .arg(id)
        .arg(at.value_parser(value_parser!(u64)))
}

fn export_command(id: Arg) -> Command {
    let format = Arg::new("format")
        .long("format")
        .value_parser(DocumentFormat::names().collect::<Vec<_>>())
        .help("The output format [default: that of the extension of FILE, or markdown]");
    let output = args::option(
        "output",
        "FILE",
        "The output file [default: standard output]",
    );
    Command::new("export")
        .about("Export a session as a document")
        .arg(id)
        .arg(format)
        .arg(output.short('o').value_parser(value_parser!(PathBuf)))
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    #[cfg(feature = "session-search")]
    if let Some(("search", matches)) = matches.subcommand() {
        return search::run(app, matches).await;
    }
    let name = app.package.name;
    let sessions = session_folder::sessions(name).or_failed()?;
    let results = session_folder::result_spill(name).or_failed()?;
    let done = match matches.subcommand() {
        Some(("show", matches)) => show::run(&sessions, app, matches).await,
        Some(("waiting", matches)) => waiting::run(&sessions, app, matches).await,
        Some(("events", matches)) => events::run(&sessions, app, matches).await,
        Some(("fork", matches)) => fork(&sessions, &results, matches).await,
        Some(("export", matches)) => export(&sessions, matches).await,
        Some(("rm", matches)) => remove(&sessions, &results, matches).await,
        Some(("answer", matches)) => answer::post_answer(&sessions, matches).await,
        Some(("result", matches)) => answer::post_result(&sessions, matches).await,
        Some(("say", matches)) => say::say(&sessions, matches).await,
        Some(("stop", matches)) => say::stop(&sessions, matches).await,
        Some(("revoke", matches)) => say::revoke(&sessions, matches).await,
        Some((_, matches)) => list(&sessions, matches).await,
        None => list(&sessions, matches).await,
    };
    done.map_err(|error| {
        output::error(&error);
        exit_code(&error)
    })
}

/// The question was wrong where it named what is not there; else something failed.
fn exit_code(error: &SessionError) -> ExitCode {
    match error {
        SessionError::Unknown { .. }
        | SessionError::InvalidId { .. }
        | SessionError::NoSuchEntry { .. }
        | SessionError::InvalidPosting { .. }
        | SessionError::StalePosting { .. } => ExitCode::from(WRONG_USAGE),
        _ => ExitCode::FAILURE,
    }
}

async fn list(sessions: &Sessions, matches: &ArgMatches) -> Result<ExitCode, SessionError> {
    let list = sessions.list().await?;
    if matches.get_flag("json") {
        output::json(&list);
    } else if list.is_empty() {
        output::line("no sessions");
    } else {
        output::print(&table(&list));
    }
    Ok(ExitCode::SUCCESS)
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
    let file = matches.get_one::<PathBuf>("output");
    let named = matches.get_one::<String>("format");
    let named = named.and_then(|name| DocumentFormat::from_name(name));
    let of_file = || file.map(|file| DocumentFormat::of_file(&file.to_string_lossy()));
    let format = named.or_else(of_file).unwrap_or(DocumentFormat::Markdown);
    let text = format.export(sessions, &session_id(matches)).await?;
    let Some(file) = file else {
        output::print(&text);
        return Ok(ExitCode::SUCCESS);
    };
    if let Err(error) = std::fs::write(file, text) {
        let message = format_args!("failed to write `{}`: {error}", file.display());
        return Ok(exit::with_message(exit::FAILED, message));
    }
    output::line(&format!("wrote {}", file.display()));
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
        } else {
            output::line(&format!("removed {id}"));
        }
    }
    Ok(code)
}
