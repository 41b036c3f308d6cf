//! The hooks of the user and the project: which of them a command runs, and the events of prompts and sessions.
//!
//! A program without the feature `hooks` has no hooks, and every function here does nothing.

#[cfg(feature = "hooks")]
mod files;
#[cfg(feature = "hooks")]
mod sandboxes;

use clap::Arg;

#[cfg(feature = "hooks")]
pub(crate) use files::{HooksError, differences, read, script_paths, subjects};
#[cfg(feature = "hooks")]
pub(crate) use sandboxes::{add, build};

use super::app_context::AppContext;
#[cfg(feature = "hooks")]
use super::args;
use helve_agent::Agent;
use helve_core::transcript::{ContentBlock, Message, SessionId};
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

/// Tells the hooks the policy of the session.
pub(super) fn set_policy(app: &AppContext, policy: &Policy) {
    #[cfg(feature = "hooks")]
    if let Some(hooks) = &app.hooks {
        hooks.follow_policy(policy);
    }
    let _ = (app, policy);
}

/// Runs the hooks of a session that starts. Returns texts for the model.
pub(super) async fn session_started(
    app: &AppContext,
    source: &str,
    session: Option<&SessionId>,
) -> Vec<String> {
    #[cfg(feature = "hooks")]
    if let Some(hooks) = &app.hooks {
        let id = session.map(ToString::to_string).unwrap_or_default();
        hooks.update_session(|session| session.id = id);
        return hooks.session_started(source).await;
    }
    let _ = (app, source, session);
    Vec::new()
}

/// Runs the hooks of a session that ends.
pub(super) async fn session_ended(app: &AppContext, reason: &str) {
    #[cfg(feature = "hooks")]
    if let Some(hooks) = &app.hooks {
        hooks.session_ended(reason).await;
    }
    let _ = (app, reason);
}

/// Runs the hooks of a message of the user. Returns the message with the texts of hooks for the model; the error says why
/// the message is not sent.
pub(super) async fn submit(
    app: &AppContext,
    message: Message,
    context: Vec<String>,
) -> Result<Message, String> {
    let Message::User { mut content } = message else {
        return Ok(message);
    };
    #[cfg(feature = "hooks")]
    let context = {
        let mut context = context;
        if let Some(hooks) = &app.hooks {
            let texts = content.iter().filter_map(ContentBlock::as_text);
            let prompt: Vec<&str> = texts.collect();
            let outcome = hooks.prompt(&prompt.join("\n")).await;
            if let Some(why) = outcome.blocked {
                return Err(format!("the prompt was not sent: {why}"));
            }
            context.extend(outcome.context);
        }
        context
    };
    let _ = app;
    content.extend(context.into_iter().map(ContentBlock::text));
    Ok(Message::User { content })
}
