//! The sandboxes that hooks run in.

use std::path::PathBuf;
use std::sync::Arc;

use clap::ArgMatches;

use crate::app_context::AppContext;
use crate::hook_files::{self, HooksError};
use crate::hook_scripts;
use crate::sandbox::SandboxFactory;
use helve_agent::hook::HookChain;
use helve_core::sandbox::{Layer, SandboxPolicy};
use helve_hooks::{CommandHooks, HookSettings};
use helve_remote::SandboxChoice;
use helve_terminal::output;

/// The commands whose calls hooks see.
const COMMANDS: [&str; 5] = ["call", "chat", "resume", "run", "serve"];

/// Adds the hooks of a command to the context, outside of the hooks of the app.
pub(crate) fn add(
    app: &mut AppContext,
    sandboxes: &SandboxFactory,
    command: &str,
    matches: &ArgMatches,
) -> Result<(), HooksError> {
    if !COMMANDS.contains(&command) || matches.get_flag("no-hooks") {
        return Ok(());
    }
    let settings = hook_files::read(&app.folder, app.binary())?;
    for note in settings.notes() {
        output::remark(&note.to_string());
    }
    let is_empty = settings.handlers().is_empty();
    let hooks = build(app, sandboxes, settings);
    app.hook_base = Some(hooks.clone());
    if is_empty {
        return Ok(());
    }
    let mut chain = HookChain::default();
    chain.push(Arc::new(hooks.clone()));
    chain.extend(std::mem::take(&mut app.definition.hooks));
    app.definition.hooks = chain;
    app.hooks = Some(hooks);
    Ok(())
}

/// Creates the hooks of settings.
pub(crate) fn build(
    app: &AppContext,
    sandboxes: &SandboxFactory,
    settings: HookSettings,
) -> CommandHooks {
    let mut scripts = settings.script_files(&app.folder);
    for hooks in hook_scripts::of_agents(&app.definition, &app.folder) {
        scripts.extend(hooks.script_files(&app.folder));
    }
    let confined = confined(app, sandboxes, scripts).lazy_sandbox();
    let unconfined = unconfined(app, sandboxes).lazy_sandbox();
    CommandHooks::new(settings, &app.folder, Arc::new(confined))
        .unconfined(Arc::new(unconfined))
        .report(|message| output::note(&format!("note: {message}")))
}

/// Returns the sandbox of the settings, in which the scripts of the user's hooks can be read. Hooks run on this machine.
fn confined(app: &AppContext, sandboxes: &SandboxFactory, scripts: Vec<PathBuf>) -> SandboxFactory {
    let mut own = sandboxes.clone();
    own.named.clear();
    if own.choice.is_remote() {
        own.choice = SandboxChoice::default();
    }
    own.policy.ask_blocked = false;
    let home = std::env::home_dir();
    let folder = home.map(|home| home.join(".claude/hooks"));
    let folder = folder.filter(|folder| folder.is_dir());
    let scripts = scripts
        .into_iter()
        .filter(|script| !script.starts_with(&app.folder));
    own.policy
        .readable
        .extend(folder.into_iter().chain(scripts));
    own
}

/// Returns the sandbox of the hooks that the user does not confine: none, with the environment of this program.
fn unconfined(app: &AppContext, sandboxes: &SandboxFactory) -> SandboxFactory {
    let mut own = sandboxes.clone();
    own.named.clear();
    own.choice = SandboxChoice::Passthrough;
    own.policy = SandboxPolicy::new(&app.folder);
    own.policy.pass.push("*".to_owned());
    own.policy.accepted.extend(Layer::ALL);
    own
}
