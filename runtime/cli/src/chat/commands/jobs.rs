//! The command on the background jobs of the session.

use crate::chat::conversation::Chat;
use crate::chat::printing::print_hint;
use crate::job_table::render_table;
use helve_core::transcript::SessionId;
use helve_jobs::{JobError, Jobs};
use helve_terminal::output;

/// Lists the jobs of the session, or stops one or all of them.
pub(super) async fn run(chat: &Chat<'_>, argument: &str) {
    let (Some(service), Some(session)) = (&chat.jobs, chat.conversation_id()) else {
        return print_hint("no jobs; the agent starts them with `task`");
    };
    let (jobs, session) = (service.jobs(), session.clone());
    let done = match argument.split_once(char::is_whitespace) {
        _ if argument.is_empty() => list(jobs, &session).await,
        Some(("stop", name)) => stop(jobs, &session, name.trim()).await,
        _ => return print_hint("run /jobs for a list, and /jobs stop NAME or /jobs stop all"),
    };
    if let Err(error) = done {
        output::error(&error);
    }
}

async fn list(jobs: &Jobs, session: &SessionId) -> Result<(), JobError> {
    let list = jobs.list(Some(session)).await?;
    if list.is_empty() {
        print_hint("no jobs; the agent starts them with `task`");
    } else {
        output::print(&render_table(&list));
    }
    Ok(())
}

async fn stop(jobs: &Jobs, session: &SessionId, name: &str) -> Result<(), JobError> {
    if name == "all" {
        let count = jobs.stop_all(session).await?;
        print_hint(&format!("stopped: {count}"));
        return Ok(());
    }
    let name = SessionId::from(name);
    jobs.stop(&name, Some(session)).await?;
    print_hint(&format!("stopped: {name}"));
    Ok(())
}
