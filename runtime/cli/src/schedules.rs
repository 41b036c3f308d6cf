//! Schedules: where those of the app are, and what their runs have to say.

use super::app_context::AppContext;
use super::session_folder::{self, NoStateFolder};
use helve_agent::session::SessionMetadata;
use helve_schedule::{Schedules, render_inbox};
use helve_terminal::output;

/// Returns the schedules of the app in the current folder. Their file is opened when it is used first.
pub(super) fn open(app: &AppContext) -> Result<Schedules, NoStateFolder> {
    let name = app.package.name;
    let about = SessionMetadata::new(name)
        .folder(app.folder_text())
        .principal(app.principal());
    let path = session_folder::state_path(name)?;
    Ok(Schedules::lazy(
        session_folder::sessions(name)?,
        path,
        about,
    ))
}

/// Grants the schedules to the tools of the app.
pub(super) fn grant(app: &mut AppContext) {
    let schedules = open(app);
    if let (Ok(schedules), Some(state)) = (schedules, std::sync::Arc::get_mut(&mut app.state)) {
        schedules.grant(state);
    }
}

/// Prints what runs have to say that no person has seen, and records that it was seen.
pub(super) async fn print_inbox(app: &AppContext) {
    let path = session_folder::state_path(app.package.name);
    let (Ok(schedules), true) = (open(app), path.is_ok_and(|path| path.exists())) else {
        return;
    };
    let runs = match schedules.inbox().await {
        Ok(runs) if runs.is_empty() => return,
        Ok(runs) => runs,
        Err(error) => return output::remark(&format!("the scheduled runs are not known: {error}")),
    };
    output::print(&render_inbox(&runs, app.binary()));
    if let Err(error) = schedules.mark_seen(&runs).await {
        tracing::warn!(%error, "what was seen is not recorded");
    }
}
