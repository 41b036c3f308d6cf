//! `sessions answer` and `sessions result`: answers the pending calls of a session that may run in another process.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};

use super::arguments::{read_argument, session_id};
use crate::args;
use crate::exit::{self, WRONG_USAGE};
use helve_agent::session::{AwaitedInput, Posting, PostingHeader, SessionError, Sessions};
use helve_core::transcript::{CallAddress, SessionId};
use helve_permission::{Decision, Rule, RuleScope};
use helve_terminal::output;

pub(super) fn answer_command(id: Arg, call: Arg) -> Command {
    let decision = Arg::new("decision")
        .value_name("allow|reject")
        .required(true)
        .value_parser(["allow", "reject"])
        .hide_possible_values(true);
    let always = args::flag(
        "always",
        "Apply the decision to all calls of this session that match the suggested rules",
    );
    let message = args::option("message", "TEXT", "A message to the model");
    let command = Command::new("answer")
        .about("Answer a pending question of a session")
        .arg(id)
        .arg(call)
        .arg(decision)
        .arg(always)
        .arg(message.short('m'));
    header_args(command)
}

/// Adds the options that say who posts, and what was shown.
fn header_args(command: Command) -> Command {
    let key = args::option(
        "key",
        "KEY",
        "The idempotency key: posting again with the same key changes nothing",
    );
    let shown = args::option(
        "shown",
        "DIGEST",
        "The digest of the question, as printed by `sessions waiting --json`; refuse if the question has changed",
    );
    let author = args::option("as", "NAME", "Your name [default: that of the user]");
    command.arg(key).arg(shown).arg(author)
}

/// Reads the options that say who posts, as far as the command has them.
pub(super) fn header(matches: &ArgMatches) -> PostingHeader {
    let option = |name: &str| {
        let given = matches.try_get_one::<String>(name).ok().flatten();
        given.cloned()
    };
    let user = || {
        ["USER", "LOGNAME", "USERNAME"]
            .into_iter()
            .find_map(|name| std::env::var(name).ok())
    };
    let mut header = PostingHeader::new();
    header.author = option("as").or_else(user).filter(|name| !name.is_empty());
    header.key = option("key");
    header.shown = option("shown");
    header
}

pub(super) fn result_command(id: Arg, call: Arg) -> Command {
    let result = args::positional(
        "result",
        "JSON",
        "The result as JSON; `-` reads it from standard input",
    );
    let command = Command::new("result")
        .about("Submit the result of an external call")
        .arg(id)
        .arg(call)
        .arg(result.required(true));
    header_args(command)
}

pub(super) async fn post_answer(
    sessions: &Sessions,
    matches: &ArgMatches,
) -> Result<ExitCode, SessionError> {
    let Some(call) = matches.get_one::<CallAddress>("call").cloned() else {
        return Ok(ExitCode::from(WRONG_USAGE));
    };
    let id = session_id(matches);
    let allowed = args::text(matches, "decision") == "allow";
    let message = matches.get_one::<String>("message").cloned();
    let rules = match matches.get_flag("always") {
        false => None,
        true => match suggested_rules(sessions, &id, &call).await? {
            Ok(rules) => Some(rules),
            Err(why) => {
                let message = format_args!("{why}\nhelp: answer without `--always`");
                return Ok(exit::with_message(WRONG_USAGE, message));
            }
        },
    };
    let scope = RuleScope::Session;
    let decision = match (allowed, rules) {
        (true, None) => Decision::AllowOnce { message },
        (false, None) => Decision::RejectOnce { message },
        (true, Some(rules)) => Decision::AllowAlways {
            rules,
            scope,
            message,
        },
        (false, Some(rules)) => Decision::RejectAlways {
            rules,
            scope,
            message,
        },
    };
    let word = if allowed { "allowed" } else { "rejected" };
    let done = format!("{word} {call} of {id}");
    let posting = Posting::Answer { call, decision };
    sessions.post_with(&id, posting, header(matches)).await?;
    output::line(&done);
    Ok(ExitCode::SUCCESS)
}

/// Returns the suggested rules of a call, or the reason why there are none.
async fn suggested_rules(
    sessions: &Sessions,
    id: &SessionId,
    call: &CallAddress,
) -> Result<Result<Vec<Rule>, String>, SessionError> {
    let waiting = sessions.read(id).await?.session_state.waiting_calls();
    let waiting = waiting.into_iter().find(|waiting| waiting.call == *call);
    Ok(match waiting.map(|waiting| waiting.awaited) {
        Some(AwaitedInput::Answer { safety: true, .. }) => Err(format!(
            "`{call}` is a safety question and needs its own answer"
        )),
        Some(AwaitedInput::Answer { suggestions, .. }) if suggestions.is_empty() => {
            Err(format!("`{call}` has no suggested rules"))
        }
        Some(AwaitedInput::Answer { suggestions, .. }) => Ok(suggestions),
        // A call that does not wait for an answer is reported when the answer is posted.
        _ => Ok(Vec::new()),
    })
}

pub(super) async fn post_result(
    sessions: &Sessions,
    matches: &ArgMatches,
) -> Result<ExitCode, SessionError> {
    let Some(call) = matches.get_one::<CallAddress>("call").cloned() else {
        return Ok(ExitCode::from(WRONG_USAGE));
    };
    let read = read_argument(args::text(matches, "result")).map_err(|error| error.to_string());
    let result = read.and_then(|text| {
        serde_json::from_str(&text)
            .map_err(|error| format!("the result is not valid JSON: {error}"))
    });
    match result {
        Ok(result) => {
            let id = session_id(matches);
            let done = format!("submitted the result of {call} of {id}");
            let posting = Posting::result(call, result);
            sessions.post_with(&id, posting, header(matches)).await?;
            output::line(&done);
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => Ok(exit::with_message(WRONG_USAGE, error)),
    }
}
