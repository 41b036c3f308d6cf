//! Checks the state file, if there is one.

use std::path::Path;

use super::finding::Finding;
#[cfg(feature = "schedule")]
use super::finding::FindingLevel;
use crate::app_context::AppContext;
use crate::config::display_path;
use crate::session_folder;
use helve_core::tool::chain_text;
use helve_state::WorkQueue;

pub(super) async fn findings(app: &AppContext) -> Vec<Finding> {
    // Without a folder, the sessions have a problem, which is told there.
    let Ok(path) = session_folder::state_path(app.package.name) else {
        return Vec::new();
    };
    let old = path.with_file_name("store.redb");
    let checked = tokio::task::spawn_blocking(move || path.exists().then(|| check(&path)));
    let mut findings = Vec::from_iter(checked.await.ok().flatten());
    if old.exists() {
        let text = format!(
            "{} has values of an earlier version, which are not read",
            display_path(&old)
        );
        findings
            .push(Finding::note(text).with_hint("remove the file, or read it with that version"));
    }
    #[cfg(feature = "schedule")]
    if findings
        .iter()
        .any(|finding| finding.level == FindingLevel::Ok)
    {
        findings.extend(schedule_finding(app).await);
    }
    findings
}

/// Checks that a daemon works where there are schedules.
#[cfg(feature = "schedule")]
async fn schedule_finding(app: &AppContext) -> Option<Finding> {
    use helve_schedule::ScheduleStatus;

    let schedules = crate::schedules::open(app).ok()?;
    let mut active = schedules.list().await.ok()?;
    active.retain(|schedule| schedule.status == ScheduleStatus::Active);
    if active.is_empty() {
        return None;
    }
    let count = active.len();
    if schedules.has_daemon().await.unwrap_or_default() {
        return Some(Finding::ok(format!(
            "a daemon works on the schedules ({count})"
        )));
    }
    let finding = Finding::note(format!(
        "no daemon works on the schedules of this folder ({count})"
    ));
    Some(finding.with_hint(format!("start `{} daemon`", app.binary())))
}

/// Opens the file, which checks it, and counts what it has.
fn check(path: &Path) -> Finding {
    let opened = WorkQueue::open(path).and_then(|queue| queue.list(None));
    match opened {
        Ok(work) => {
            let held = work.iter().filter(|work| work.holder.is_some()).count();
            let path = display_path(path);
            Finding::ok(format!(
                "{path}: {} queued, {held} of them claimed",
                work.len()
            ))
        }
        // The error says what to do.
        Err(error) => Finding::problem(
            &chain_text(&error),
            "stored values and queued work need the file",
        ),
    }
}
