//! `sessions list`.

use std::process::ExitCode;

use clap::ArgMatches;

use crate::output;
use crate::render::sessions::table;
use helve_agent::session::{SessionError, Sessions};

pub(super) async fn run(
    sessions: &Sessions,
    matches: &ArgMatches,
) -> Result<ExitCode, SessionError> {
    let list = sessions.list().await?;
    if matches.get_flag("json") {
        output::line(&serde_json::to_string_pretty(&list).unwrap_or_default());
    } else if list.is_empty() {
        output::line("no sessions");
    } else {
        output::print(&table(&list));
    }
    Ok(ExitCode::SUCCESS)
}
