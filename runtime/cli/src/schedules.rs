//! Schedules: where those of the app are, and what their runs have to say.

#[cfg(feature = "skill-install")]
pub(super) use of_skills::{enable_skill, follow_skill, of_skills};

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

/// Prints a note if no daemon works on the schedules.
pub(super) async fn note_missing_daemon(schedules: &Schedules, app: &AppContext) {
    if !schedules.has_daemon().await.unwrap_or(true) {
        let binary = app.binary();
        output::note(&format!(
            "no daemon works in this folder: start `{binary} daemon`, or see `{binary} daemon --print-unit`"
        ));
    }
}

/// Schedules of skills that run by themselves.
#[cfg(feature = "skill-install")]
mod of_skills {
    use std::process::ExitCode;
    use std::sync::Arc;

    use clap::ArgMatches;

    use super::{AppContext, note_missing_daemon, open};
    use crate::acceptance;
    use crate::app::MAIN_AGENT;
    use crate::exit::OrExit as _;
    use crate::runner::bounds;
    use helve_schedule::{RunAuthority, SkillSchedules, render_schedule};
    use helve_skill::SkillLibrary;
    use helve_skill_install::{SkillInstaller, SkillStatuses, SkillTrigger, SkillTriggers as _};
    use helve_terminal::output;

    /// Returns the schedules of the skills of a library.
    pub(crate) fn of_skills(
        app: &AppContext,
        library: &Arc<SkillLibrary>,
    ) -> Option<SkillSchedules> {
        let of_skills = SkillSchedules::new(open(app).ok()?, Arc::clone(library));
        Some(match SkillInstaller::data_folder() {
            Some(data) => {
                of_skills.statuses(SkillStatuses::new(data.join("status.json")), &app.folder)
            }
            None => of_skills,
        })
    }

    /// Shows the schedule that the trigger of a skill asks for, asks, and makes it.
    pub(crate) async fn enable_skill(
        app: &AppContext,
        name: &str,
        matches: &ArgMatches,
    ) -> Result<(), ExitCode> {
        let catalog = app.skills.current();
        let (Some(skill), Some(of_skills)) = (catalog.get(name), of_skills(app, &app.skills))
        else {
            return Ok(());
        };
        let trigger = SkillTrigger::from_front_matter(&skill.front_matter());
        let config = app.settings.as_ref().or_wrong_usage()?;
        let policy = app.policy(config, matches).or_wrong_usage()?;
        let authority = RunAuthority::of_person(MAIN_AGENT, &policy, bounds(config));
        let planned = of_skills.preview(name, &trigger, authority.clone()).await;
        let Some(planned) = planned.or_failed()? else {
            return Ok(());
        };
        let shown = render_schedule(&planned, &[], planned.created);
        let text = format!("the skill `{name}` asks to run by itself: {trigger}\n\n{shown}");
        let command = format!("{} skills enable {name}", app.binary());
        acceptance::ask_about(&text, None, matches.get_flag("yes"), &command).await?;
        of_skills
            .enable(name, &trigger, authority)
            .await
            .or_failed()?;
        output::line(&format!("scheduled {name}"));
        note_missing_daemon(&open(app).or_failed()?, app).await;
        Ok(())
    }

    /// Lets the schedule of a skill follow a change of the skill.
    pub(crate) async fn follow_skill(app: &AppContext, command: &str, name: &str) {
        if let Some(of_skills) = of_skills(app, &app.skills)
            && let Err(error) = of_skills.follow(command, name).await
        {
            output::note(&format!(
                "the schedule of the skill `{name}` is as it was: {error}"
            ));
        }
    }
}
