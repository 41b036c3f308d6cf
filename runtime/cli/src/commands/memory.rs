//! `memory`: what agents remember, as a person sees and changes it.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};

use crate::app::MAIN_AGENT;
use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, FAILED, OrExit as _};
use crate::{acceptance, args};
use helve_memory::{MemoryConsole, MemoryError, MemoryScope, PendingChange, ProjectTrust};
use helve_terminal::questions::{Terminal, confirm};
use helve_terminal::{edit, output};

pub(super) fn command() -> Command {
    let history = args::flag(
        "history",
        "List the changes of the last thirty days instead",
    );
    let archived = args::flag("archived", "List the entries in the archive instead");
    let agent = "The agent whose entries of the scope agent are meant";
    let agent = args::option("agent", "NAME", agent);
    Command::new("memory")
        .about("List what agents remember, and review and change it")
        .arg(agent.default_value(MAIN_AGENT).global(true))
        .arg(args::json())
        .subcommand(
            Command::new("list")
                .about("List the entries (the default)")
                .args([scope(), archived, args::json()]),
        )
        .subcommand(
            Command::new("show")
                .about("Show an entry")
                .args([entry_argument(), history]),
        )
        .subcommand(
            Command::new("edit")
                .about("Edit an entry in $EDITOR")
                .arg(entry_argument()),
        )
        .subcommand(
            Command::new("rm")
                .about("Delete an entry or a folder")
                .arg(entry_argument()),
        )
        .subcommands([restore_command(), review_command()])
        .subcommand(
            Command::new("export")
                .about("Print all entries, as lines of JSON")
                .arg(scope()),
        )
        .subcommand(Command::new("where").about("List the folders of the files"))
        .subcommands([trust_command(), untrust_command()])
}

fn trust_command() -> Command {
    Command::new("trust")
        .about("Accept the folder of the project: agents change your memory there without a review")
        .arg(acceptance::argument())
}

fn untrust_command() -> Command {
    Command::new("untrust").about("Have changes of your memory wait for a review in this project")
}

fn restore_command() -> Command {
    let id = "The version, as printed by `memory show --history`";
    let version = args::positional("version", "VERSION", id).required(true);
    Command::new("restore")
        .about("Restore an earlier version of an entry")
        .args([entry_argument(), version])
}

fn review_command() -> Command {
    let reject = "Reject it, so that the same text is not stored again";
    Command::new("review")
        .about("Accept or reject what agents wrote after they had read text from outside")
        .arg(args::repeated(
            "accept",
            "ID",
            "Accept the change of this id",
        ))
        .arg(args::repeated("reject", "ID", reject))
        .arg(args::json())
}

fn entry_argument() -> Arg {
    let id = "The entry, as printed by `memory list`";
    args::positional("entry", "ENTRY", id).required(true)
}

fn scope() -> Arg {
    let scope = args::option(
        "scope",
        "SCOPE",
        "Only the entries of user, project, team or agent",
    );
    scope.value_parser(|text: &str| text.parse::<MemoryScope>())
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let no_folder = "no state folder was found: set `HELVE_STATE`, `XDG_STATE_HOME` or `HOME`";
    let memory = app.memory.as_ref();
    let memory = memory.ok_or_else(|| exit::with_message(FAILED, no_folder))?;
    match matches.subcommand() {
        Some(("trust", matches)) => return trust(&memory.trust, app, matches).await,
        Some(("untrust", _)) => return untrust(&memory.trust),
        _ => {}
    }
    let given = matches.subcommand().map_or(matches, |(_, given)| given);
    let agent = args::text(given, "agent");
    let memory = memory.console(&app.principal(), agent);
    let done = match matches.subcommand() {
        Some(("edit", matches)) => {
            return edit_entry(&memory, entry(matches), app.binary()).await;
        }
        Some(("review", matches)) => review(&memory, app, matches).await,
        Some((name, matches)) => print(&memory, name, matches).await,
        None if matches.get_flag("json") => memory.entries(None).await.map(|entries| {
            output::json(&entries);
            String::new()
        }),
        None => memory.list(None, false).await,
    };
    output::print(&done.map_err(|error| failed(error, app.binary()))?);
    Ok(ExitCode::SUCCESS)
}

/// Has the user accept the folder of the project.
async fn trust(trust: &ProjectTrust, app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let folder = trust.project().display();
    if trust.is_accepted().or_failed()? {
        output::line(&format!("unchanged: {folder}"));
        return Ok(ExitCode::SUCCESS);
    }
    let text = format!(
        "In {folder}, agents will change the memories of you and your team without a review, also after they have read \
         files that others wrote.\n"
    );
    let command = format!("{} memory trust", app.binary());
    acceptance::ask_about(&text, None, matches.get_flag("yes"), &command).await?;
    trust.accept().or_failed()?;
    output::line(&format!("accepted {folder}"));
    Ok(ExitCode::SUCCESS)
}

fn untrust(trust: &ProjectTrust) -> CommandResult {
    let folder = trust.project().display();
    if !trust.revoke().or_failed()? {
        let message = format_args!("{folder} is not accepted");
        return Err(exit::with_message(FAILED, message));
    }
    output::line(&format!("revoked {folder}"));
    Ok(ExitCode::SUCCESS)
}

fn entry(matches: &ArgMatches) -> &str {
    args::text(matches, "entry")
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn failed(error: MemoryError, binary: &str) -> ExitCode {
    match error {
        MemoryError::NoEntry { .. } => {
            let message = format!("{error}\nhelp: run `{binary} memory list` for the ids");
            exit::with_message(exit::WRONG_USAGE, message)
        }
        MemoryError::Io { .. } | MemoryError::Stopped => exit::failed(&error),
        _ => exit::wrong_usage(&error),
    }
}

async fn print(
    memory: &MemoryConsole,
    name: &str,
    matches: &ArgMatches,
) -> Result<String, MemoryError> {
    let scope = || {
        matches
            .try_get_one::<MemoryScope>("scope")
            .ok()
            .flatten()
            .copied()
    };
    match name {
        "show" if matches.get_flag("history") => memory.history(entry(matches)).await,
        "show" => memory.show(entry(matches)).await,
        "rm" => memory.remove(entry(matches)).await,
        "restore" => {
            memory
                .restore(entry(matches), args::text(matches, "version"))
                .await
        }
        "export" => {
            let entries = memory.entries(scope()).await?;
            let lines = entries
                .iter()
                .map(|entry| format!("{}\n", serde_json::json!(entry)));
            Ok(lines.collect())
        }
        "list" if matches.get_flag("json") => {
            let entries = match matches.get_flag("archived") {
                true => memory.archived(scope()).await?,
                false => memory.entries(scope()).await?,
            };
            output::json(&entries);
            Ok(String::new())
        }
        "list" => memory.list(scope(), matches.get_flag("archived")).await,
        _ => Ok(memory.folders()),
    }
}

/// Has the user edit the file of an entry.
async fn edit_entry(memory: &MemoryConsole, entry: &str, binary: &str) -> CommandResult {
    let failed = |error| failed(error, binary);
    let text = memory.file_text(entry).await.map_err(failed)?;
    let program = edit::editor_program().unwrap_or_else(|| "vi".to_owned());
    let edited = edit::edit_text(program, text.clone(), "md").await;
    let edited = edited.or_failed()?;
    if edited == text {
        output::note("nothing was changed");
        return Ok(ExitCode::SUCCESS);
    }
    let done = memory.replace_file(entry, &text, &edited).await;
    if done.is_err() {
        output::note("the edited text was not stored:");
        output::print(&edited);
    }
    output::print(&done.map_err(failed)?);
    Ok(ExitCode::SUCCESS)
}

/// Makes and rejects the changes of the flags. Without flags, the user is asked about each change at a terminal.
async fn review(
    memory: &MemoryConsole,
    app: &AppContext,
    matches: &ArgMatches,
) -> Result<String, MemoryError> {
    let mut is_answered = false;
    for (flag, accept) in [("accept", true), ("reject", false)] {
        for id in matches.get_many::<String>(flag).into_iter().flatten() {
            output::print(&memory.review(id, accept).await?);
            is_answered = true;
        }
    }
    if is_answered {
        return Ok(String::new());
    }
    let pending = memory.pending().await?;
    if matches.get_flag("json") {
        output::json(
            &pending
                .iter()
                .map(PendingChange::to_json)
                .collect::<Vec<_>>(),
        );
        return Ok(String::new());
    }
    if pending.is_empty() || !Terminal::is_attached() {
        if !pending.is_empty() {
            let binary = app.binary();
            output::note(&format!(
                "help: run `{binary} memory review --accept ID`, or `--reject ID`"
            ));
        }
        return memory.changes().await;
    }
    for change in &pending {
        // The answer to one change may change what the next one does.
        let Some(shown) = memory.change(&change.id).await? else {
            continue;
        };
        output::print(&shown);
        if confirm("Accept it?").await {
            output::print(&memory.review(&change.id, true).await?);
        } else if confirm("Reject it, so that the same text is not stored again?").await {
            output::print(&memory.review(&change.id, false).await?);
        }
    }
    Ok(String::new())
}
