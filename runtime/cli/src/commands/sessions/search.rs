//! `sessions search`: finds messages of recorded sessions.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _, WRONG_USAGE};
use crate::session_search::print_hits;
use crate::{args, session_folder};
use helve_core::transcript::SessionId;
use helve_session_search::{MessageRole, SessionQuery, parse_time};
use helve_terminal::output;

pub(super) fn command() -> Command {
    let words = args::positional("query", "WORDS", "Words, and phrases in quotation marks");
    let limit = args::option("limit", "N", "The number of messages [default: 10]");
    let roles = MessageRole::ALL.map(MessageRole::name);
    let role = args::option(
        "role",
        "ROLE",
        "Search the messages of a role instead of those of the user and the model",
    );
    Command::new("search")
        .about("Search the messages of the sessions")
        .arg(words.required(true).action(ArgAction::Append).num_args(1..))
        .arg(limit.value_parser(value_parser!(u16).range(1..=1_000)))
        .arg(role.value_parser(roles))
        .arg(args::option("session", "ID", "Search this session alone"))
        .arg(args::flag(
            "here",
            "Search the sessions of this folder alone",
        ))
        .arg(time_arg(
            "since",
            "Search what was said since this day or time",
        ))
        .arg(time_arg(
            "before",
            "Search what was said before this day or time",
        ))
        .arg(args::flag(
            "reindex",
            "Make the index again before the search",
        ))
        .arg(args::json())
}

fn time_arg(name: &'static str, help: &'static str) -> Arg {
    let parse = |text: &str| {
        parse_time(text)
            .ok_or("write a day such as 2026-10-01, or a time such as 2026-10-01T08:00Z")
    };
    args::option(name, "TIME", help).value_parser(parse)
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let search = session_folder::search(app.package.name).or_failed()?;
    if matches.get_flag("reindex") {
        search.reset().await.or_failed()?;
    }
    let update = search.update().await.or_failed()?;
    if update.damaged > 0 {
        output::note(&format!(
            "{} sessions are damaged, and are searched up to the damage",
            update.damaged
        ));
    }
    let query = query(app, matches);
    if query.text.trim().is_empty() {
        return Ok(exit::with_message(WRONG_USAGE, "no words to search for"));
    }
    let hits = search.search(&query).await.or_failed()?;
    if matches.get_flag("json") {
        output::json(&hits);
    } else if hits.is_empty() {
        output::line("no matches");
    } else {
        print_hits(&hits);
    }
    Ok(ExitCode::SUCCESS)
}

fn query(app: &AppContext, matches: &ArgMatches) -> SessionQuery {
    let words = matches.get_many::<String>("query").into_iter().flatten();
    let words: Vec<&str> = words.map(String::as_str).collect();
    let limit = matches.get_one::<u16>("limit").copied().unwrap_or(10);
    let mut query = SessionQuery::new(words.join(" "), limit.into());
    let role = MessageRole::from_name(args::text(matches, "role"));
    query.roles = role.into_iter().collect();
    let session = matches.get_one::<String>("session");
    query.session = session.map(|id| SessionId::from(id.as_str()));
    if matches.get_flag("here") {
        query.folder = Some(app.folder_text());
    }
    query.since = matches.get_one("since").copied();
    query.before = matches.get_one("before").copied();
    query
}
