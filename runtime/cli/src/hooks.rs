//! The hooks of the user and the project: which of them a command runs, and the events of prompts and sessions.
//!
//! A program without the feature `hooks` has no hooks, and every function here does nothing.

#[cfg(all(feature = "hooks", feature = "agents"))]
mod agents;
#[cfg(feature = "hooks")]
mod sandboxes;

#[cfg(feature = "hooks")]
use std::path::Path;

use clap::Arg;

#[cfg(feature = "hooks")]
pub(crate) use super::hook_files::{HooksError, read};
#[cfg(all(feature = "hooks", feature = "agents"))]
pub(crate) use agents::add_of_agent;
#[cfg(feature = "hooks")]
pub(crate) use sandboxes::{add, build};

use super::app_context::AppContext;
#[cfg(feature = "hooks")]
use super::args;
#[cfg(feature = "hooks")]
use super::{hook_files, session_folder};
#[cfg(feature = "hooks")]
use helve_agent::Delivery;
use helve_agent::{Agent, NoteQueue};
#[cfg(feature = "hooks")]
use helve_core::support::random;
#[cfg(feature = "hooks")]
use helve_core::transcript::{ContentBlock, Note, NoteSource};
use helve_core::transcript::{Message, SessionId};
#[cfg(feature = "hooks")]
use helve_hooks::{HookEvent, ProjectHooks};
#[cfg(feature = "jobs")]
use helve_permission::DeferAll;
#[cfg(feature = "hooks")]
use helve_permission::acceptances::{AcceptanceError, AcceptanceSubject, Acceptances, Difference};
use helve_permission::{Approver, Policy};

/// Creates the flag that turns the hooks off.
pub(super) fn argument() -> Option<Arg> {
    #[cfg(feature = "hooks")]
    return Some(args::flag(
        "no-hooks",
        "Do not run the hooks of the user and the project",
    ));
    #[cfg(not(feature = "hooks"))]
    None
}

/// Sets the approver of an agent, whose questions hooks may answer first.
pub(super) fn set_approver(
    app: &AppContext,
    agent: Agent,
    approver: impl Approver + 'static,
) -> Agent {
    #[cfg(feature = "hooks")]
    if let Some(hooks) = &app.hooks {
        return agent.approver(helve_hooks::HookApprover::new(approver, hooks.clone()));
    }
    let _ = app;
    agent.approver(approver)
}

/// Returns the approver of jobs: what no hook answers waits for an answer from anywhere.
#[cfg(feature = "jobs")]
pub(super) fn approver_of_jobs(app: &AppContext) -> Box<dyn Approver> {
    #[cfg(feature = "hooks")]
    if let Some(hooks) = &app.hooks {
        return Box::new(helve_hooks::HookApprover::new(DeferAll, hooks.clone()));
    }
    let _ = app;
    Box::new(DeferAll)
}

/// Returns what runs the hooks of `Notification` with a message of a kind.
#[cfg(feature = "schedule")]
pub(super) fn notifier(app: &AppContext) -> impl Fn(&str, &str) + Send + Sync + 'static {
    #[cfg(feature = "hooks")]
    let hooks = app.hooks.clone();
    #[cfg(not(feature = "hooks"))]
    let _ = app;
    move |message, kind| {
        #[cfg(feature = "hooks")]
        hooks.iter().for_each(|hooks| hooks.notify(message, kind));
        #[cfg(not(feature = "hooks"))]
        let _ = (message, kind);
    }
}

/// Tells the hooks the policy of the session.
pub(super) fn set_policy(app: &AppContext, policy: &Policy) {
    #[cfg(feature = "hooks")]
    if let Some(hooks) = &app.hook_base {
        hooks.follow_policy(policy);
    }
    let _ = (app, policy);
}

/// Adds the hooks of the session to its agent as a guard: those of `Stop` and `SubagentStop` check its last replies.
pub(super) fn add_guard(app: &AppContext, agent: Agent) -> Agent {
    #[cfg(feature = "hooks")]
    if let Some(hooks) = &app.hooks {
        return agent.guard(hooks.clone());
    }
    let _ = app;
    agent
}

/// Runs the hooks of a session that starts. The model reads what they say of it as notes.
pub(super) async fn session_started(
    app: &AppContext,
    source: &str,
    session: Option<&SessionId>,
    notes: &NoteQueue,
) {
    #[cfg(feature = "hooks")]
    if let Some(hooks) = &app.hook_base {
        let transcript = session.and_then(|id| journal_path(app, id));
        let id = session.map(ToString::to_string).unwrap_or_default();
        hooks.update_session(|session| {
            session.id = id;
            session.transcript = transcript.unwrap_or_default();
        });
        let texts = hooks.session_started(source).await;
        push_notes(notes, HookEvent::SessionStart, texts);
    }
    let _ = (app, source, session, notes);
}

/// Returns the path of the journal of a session that is recorded.
#[cfg(feature = "hooks")]
fn journal_path(app: &AppContext, session: &SessionId) -> Option<String> {
    let folder = session_folder::folder(app.package.name).ok()?;
    let path = folder.join(format!("{session}.jsonl"));
    path.is_file().then(|| path.display().to_string())
}

#[cfg(feature = "hooks")]
fn push_notes(notes: &NoteQueue, event: HookEvent, texts: Vec<String>) {
    for text in texts {
        let note = Note::new(NoteSource::Hook, random::hex::<8>(), text).with_name(event.name());
        notes.push(note, Delivery::Now);
    }
}

/// Runs the hooks of a session that ends.
pub(super) async fn session_ended(app: &AppContext, reason: &str) {
    #[cfg(feature = "hooks")]
    if let Some(hooks) = &app.hooks {
        hooks.session_ended(reason).await;
    }
    let _ = (app, reason);
}

/// Runs the hooks of a message of the user. The model reads what they say of it as notes; the error says why the message
/// is not sent.
pub(super) async fn submit(
    app: &AppContext,
    message: &Message,
    notes: &NoteQueue,
) -> Result<(), String> {
    #[cfg(feature = "hooks")]
    if let (Some(hooks), Message::User { content }) = (&app.hooks, message) {
        let texts = content.iter().filter_map(ContentBlock::as_text);
        let prompt: Vec<&str> = texts.collect();
        let outcome = hooks.prompt(&prompt.join("\n")).await;
        if let Some(why) = outcome.blocked {
            return Err(format!("the prompt was not sent: {why}"));
        }
        push_notes(notes, HookEvent::UserPromptSubmit, outcome.context);
    }
    let _ = (app, message, notes);
    Ok(())
}

/// Compares the hooks of the project around a folder, those of its agent files as well, with those that the user accepted.
#[cfg(feature = "hooks")]
pub(crate) fn differences(
    folder: &Path,
    acceptances: &Acceptances,
) -> Result<Vec<Difference>, HooksError> {
    let mut differences = hook_files::differences(folder, acceptances)?;
    for hooks in agent_hooks(folder)? {
        differences.extend(hooks.difference(acceptances)?);
    }
    Ok(differences)
}

/// Lists the subjects of the acceptances of the project around a folder.
#[cfg(feature = "hooks")]
pub(crate) fn subjects(folder: &Path) -> Vec<Result<AcceptanceSubject, AcceptanceError>> {
    let mut subjects = hook_files::subjects(folder);
    let agents = agent_hooks(folder).unwrap_or_default();
    subjects.extend(agents.iter().map(ProjectHooks::subject));
    subjects
}

/// Returns the hooks of the agent files of a project.
#[cfg(feature = "hooks")]
fn agent_hooks(folder: &Path) -> Result<Vec<ProjectHooks>, HooksError> {
    #[cfg(feature = "agents")]
    return agents::of_project(folder);
    #[cfg(not(feature = "agents"))]
    {
        let _ = folder;
        Ok(Vec::new())
    }
}
