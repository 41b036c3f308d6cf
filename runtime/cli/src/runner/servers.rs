//! The MCP servers of a command, before its tools are used.

use std::time::Duration;

use crate::app_context::AppContext;
use crate::mcp::status_notes;
use helve_terminal::output;

/// The delay before the command prints that it waits for servers.
const NOTE_DELAY: Duration = Duration::from_secs(2);

/// Waits until the servers are connected or have failed. The first call also prints which servers are not connected and
/// which of their tools are withheld, and adds the skills of the servers.
pub(crate) async fn wait_for_servers(app: &AppContext) {
    let Some(session) = &app.mcp else {
        return;
    };
    if tokio::time::timeout(NOTE_DELAY, session.wait_ready())
        .await
        .is_err()
    {
        output::note("Waiting for MCP servers…");
        session.wait_ready().await;
    }
    if !session.begin_report() {
        return;
    }
    for status in session.servers().status() {
        for note in status_notes(&status, app.binary()) {
            output::remark(&note);
        }
    }
    for warning in session.servers().warnings() {
        output::remark(&warning);
    }
    #[cfg(feature = "skills")]
    crate::skills::add_server_skills(&app.skills, session.servers()).await;
}
