//! `sessions say`, `sessions stop` and `sessions revoke`: talks to the agent of a session that may run in another process.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};

use super::answer::header;
use super::arguments::{read_argument, session_id};
use crate::args;
use crate::exit::{self, WRONG_USAGE};
use helve_agent::Delivery;
use helve_agent::session::{Posting, PostingTarget, SessionError, SessionState, Sessions};
use helve_agent::turn::Turn;
use helve_core::support::random;
use helve_core::transcript::{Note, NoteSource, SessionId, TurnId};
use helve_terminal::output;

pub(super) fn say_command(id: Arg) -> Command {
    let text = args::positional(
        "text",
        "TEXT",
        "What to say; `-` reads it from standard input",
    );
    let after = args::flag(
        "after",
        "Say it with the next prompt instead of the next model call",
    );
    let message = args::positional(
        "message",
        "MESSAGE",
        "The id of the message: a message that is sent again is read once [default: a new id, which is printed]",
    );
    let author = args::option("as", "NAME", "Your name [default: that of the user]");
    Command::new("say")
        .about("Say something to the agent of a session, while it works or with its next prompt")
        .arg(id)
        .arg(text.required(true))
        .arg(after)
        .arg(message.long("id"))
        .arg(author)
}

pub(super) fn stop_command(id: Arg) -> Command {
    let turn = args::option("turn", "TURN", "The turn [default: the open one]");
    let author = args::option("as", "NAME", "Your name [default: that of the user]");
    Command::new("stop")
        .about("Interrupt the open turn of a session")
        .arg(id)
        .arg(turn)
        .arg(author)
}

pub(super) fn revoke_command(id: Arg) -> Command {
    let message = args::positional(
        "message",
        "MESSAGE",
        "The message, as printed by `sessions show`",
    );
    Command::new("revoke")
        .about("Take back a message that the agent has not read")
        .arg(id)
        .arg(message.required(true))
}

pub(super) async fn say(
    sessions: &Sessions,
    matches: &ArgMatches,
) -> Result<ExitCode, SessionError> {
    let text = match read_argument(args::text(matches, "text")) {
        Ok(text) => text,
        Err(error) => return Ok(exit::with_message(WRONG_USAGE, error)),
    };
    let id = session_id(matches);
    let given = matches.get_one::<String>("message").cloned();
    let message = given.clone().unwrap_or_else(random::hex::<8>);
    let header = header(matches);
    let note = Note::new(NoteSource::User, &message, text.trim_end());
    let note = note.with_name(header.author.as_deref().unwrap_or_default());
    let delivery = match matches.get_flag("after") {
        true => Delivery::After,
        false => Delivery::Now,
    };
    let posting = Posting::say(note, delivery);
    sessions.post_with(&id, posting, header).await?;
    if given.is_none() {
        output::line(&message);
    }
    let state = sessions.read(&id).await?.session_state;
    if open_turn(&state).is_none() && !state.has_note(&message) {
        output::note("no turn is open: the agent reads the message with its next prompt");
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn stop(
    sessions: &Sessions,
    matches: &ArgMatches,
) -> Result<ExitCode, SessionError> {
    let id = session_id(matches);
    let turn = match matches.get_one::<String>("turn") {
        Some(turn) => Some(turn.as_str().into()),
        None => open_turn(&sessions.read(&id).await?.session_state),
    };
    let Some(turn) = turn else {
        let message = format_args!("session `{id}` has no open turn");
        return Ok(exit::with_message(WRONG_USAGE, message));
    };
    let done = format!("asked {id} to stop {turn}");
    sessions
        .post_with(&id, Posting::stop(turn), header(matches))
        .await?;
    output::line(&done);
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn revoke(
    sessions: &Sessions,
    matches: &ArgMatches,
) -> Result<ExitCode, SessionError> {
    let (id, message) = (session_id(matches), args::text(matches, "message"));
    let target = PostingTarget::Say(message.to_owned());
    if sessions.revoke(&id, &target).await? {
        output::line(&format!("took back {message}"));
        return Ok(ExitCode::SUCCESS);
    }
    let is_read = sessions.read(&id).await?.session_state.has_note(message);
    Ok(exit::with_message(
        WRONG_USAGE,
        not_revoked(&id, message, is_read),
    ))
}

fn not_revoked(id: &SessionId, message: &str, is_read: bool) -> String {
    match is_read {
        true => format!("the agent has read the message `{message}` already"),
        false => format!("session `{id}` has no message `{message}`"),
    }
}

/// Returns the open turn of a session that works for no other turn.
fn open_turn(state: &SessionState) -> Option<TurnId> {
    let mut open = state.open_turns.iter().rev().map(Turn::origin);
    let root = open.find(|origin| origin.parent_call.is_none())?;
    Some(root.turn.clone())
}
