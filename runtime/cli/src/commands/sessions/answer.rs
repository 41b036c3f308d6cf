//! `sessions answer` and `sessions result`: what a session in another process, or in none, waits for.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::{read_argument, session_id};
use crate::exit::WRONG_USAGE;
use crate::output;
use helve_agent::session::{AwaitedInput, Posting, SessionError, Sessions};
use helve_core::transcript::{CallAddress, SessionId};
use helve_permission::{Decision, Rule, RuleScope};

pub(super) fn answer_command(id: Arg, call: Arg) -> Command {
    let decision = Arg::new("decision")
        .value_name("allow|reject")
        .required(true)
        .value_parser(["allow", "reject"])
        .hide_possible_values(true);
    let always = Arg::new("always")
        .long("always")
        .action(ArgAction::SetTrue)
        .help("For all calls of this session that the suggested rules cover");
    let message = Arg::new("message")
        .long("message")
        .short('m')
        .value_name("TEXT")
        .help("What the model is told with it");
    Command::new("answer")
        .about("Answers a question of a session, which picks it up wherever it runs")
        .arg(id)
        .arg(call)
        .arg(decision)
        .arg(always)
        .arg(message)
}

pub(super) fn result_command(id: Arg, call: Arg) -> Command {
    let result = Arg::new("result")
        .value_name("JSON")
        .required(true)
        .help("The result; `-` reads it from standard input");
    Command::new("result")
        .about("Hands in the result of a call that was to be run elsewhere")
        .arg(id)
        .arg(call)
        .arg(result)
}

pub(super) async fn post_answer(
    sessions: &Sessions,
    matches: &ArgMatches,
) -> Result<ExitCode, SessionError> {
    let Some(call) = matches.get_one::<CallAddress>("call").cloned() else {
        return Ok(ExitCode::from(WRONG_USAGE));
    };
    let id = session_id(matches);
    let allowed = matches
        .get_one::<String>("decision")
        .is_some_and(|decision| decision == "allow");
    let message = matches.get_one::<String>("message").cloned();
    let rules = match matches.get_flag("always") {
        false => None,
        true => match suggested_rules(sessions, &id, &call).await? {
            Ok(rules) => Some(rules),
            Err(why) => {
                output::note(&format!("error: {why}; answer without `--always`"));
                return Ok(ExitCode::from(WRONG_USAGE));
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
    sessions
        .post(&id, Posting::Answer { call, decision })
        .await?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the rules that were suggested with a question, or why there are none.
async fn suggested_rules(
    sessions: &Sessions,
    id: &SessionId,
    call: &CallAddress,
) -> Result<Result<Vec<Rule>, String>, SessionError> {
    let waiting = sessions.read(id).await?.session_state.waiting_calls();
    let waiting = waiting.into_iter().find(|waiting| waiting.call == *call);
    Ok(match waiting.map(|waiting| waiting.awaited) {
        Some(AwaitedInput::Answer { safety: true, .. }) => Err(format!(
            "`{call}` is a question of safety, which is answered for itself alone"
        )),
        Some(AwaitedInput::Answer { suggestions, .. }) if suggestions.is_empty() => {
            Err(format!("no rule is suggested with `{call}`"))
        }
        Some(AwaitedInput::Answer { suggestions, .. }) => Ok(suggestions),
        // That nobody waits for it is said when it is posted.
        _ => Ok(Vec::new()),
    })
}

pub(super) async fn post_result(
    sessions: &Sessions,
    matches: &ArgMatches,
) -> Result<ExitCode, SessionError> {
    let (Some(call), Some(argument)) = (
        matches.get_one::<CallAddress>("call").cloned(),
        matches.get_one::<String>("result"),
    ) else {
        return Ok(ExitCode::from(WRONG_USAGE));
    };
    let read = read_argument(argument).map_err(|error| error.to_string());
    let result = read.and_then(|text| {
        serde_json::from_str(&text).map_err(|error| format!("the result is no JSON: {error}"))
    });
    match result {
        Ok(result) => {
            sessions
                .post(&session_id(matches), Posting::result(call, result))
                .await?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            output::note(&format!("error: {error}"));
            Ok(ExitCode::from(WRONG_USAGE))
        }
    }
}
