//! `sessions events`: the events of a recorded session.

use std::io::{self, ErrorKind, Write as _};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use futures_util::StreamExt as _;
use serde::Serialize;

use super::arguments::session_id;
use crate::app_context::AppContext;
use crate::args;
use crate::exit;
use helve_agent::EventHeader;
use helve_agent::session::{SessionError, Sessions};

pub(super) fn command(id: Arg) -> Command {
    let after = args::option(
        "after",
        "SEQ",
        "Print the events after this number, which is the `seq` of the last event that was handled",
    );
    Command::new("events")
        .about("Print the events of a session as JSON, an event a line")
        .arg(id)
        .arg(after.value_parser(value_parser!(u64)))
        .arg(args::flag("follow", "Wait for new events at the end").short('f'))
}

pub(super) async fn run(
    sessions: &Sessions,
    app: &AppContext,
    matches: &ArgMatches,
) -> Result<ExitCode, SessionError> {
    let id = session_id(matches);
    let after = matches.get_one::<u64>("after").copied().unwrap_or_default();
    let mut events = match matches.get_flag("follow") {
        true => sessions.follow_events(&id, after),
        false => sessions.events(&id, after),
    };
    let header = EventHeader::new(app.package.name, app.package.version).session(id);
    let mut event = events.next().await.transpose()?;
    let mut written = write_line(&header);
    while let (Ok(()), Some(next)) = (&written, &event) {
        written = write_line(next);
        if written.is_ok() {
            event = events.next().await.transpose()?;
        }
    }
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let message = format_args!("failed to write the events: {error}");
            Ok(exit::with_message(exit::FAILED, message))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Writes a line at once: a reader that follows waits for it.
fn write_line(line: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    let mut to = io::stdout().lock();
    to.write_all(&text)?;
    to.flush()
}
