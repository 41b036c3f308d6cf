//! `demo`: a recorded conversation with the real tools.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Command;

use crate::app_context::AppContext;
use crate::exit;
use crate::exit::{CommandResult, OrExit as _, WRONG_USAGE};
use crate::runner::{self, RunOptions, SessionChoice, TurnInput};
use helve_core::transcript::Message;
use helve_model::{Recording, ReplayModel};
use helve_permission::{Mode, Policy};
use helve_terminal::output;

pub(in crate::commands) fn demo_command() -> Command {
    Command::new("demo")
        .about("Play a recorded conversation with the real tools, without an API key or a network")
}

/// Returns the repository around the current folder, which is what recorded conversations are about; else that folder.
pub(in crate::commands) fn current_repository() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let repository = here.ancestors().find(|folder| folder.join(".git").exists());
    repository.map_or_else(|| here.clone(), Path::to_owned)
}

/// Checks that the files which the conversation is about are in the folder: without them, its calls would fail while the
/// recorded replies claim success.
fn check_files(app: &AppContext, recording: &Recording) -> Result<(), ExitCode> {
    let files = recording.files().iter();
    let missing = files.filter(|file| !app.folder.join(file).exists());
    let missing: Vec<String> = missing.map(|file| format!("`{file}`")).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let (missing, folder, binary) = (missing.join(", "), app.folder_text(), app.binary());
    Err(exit::with_message(
        exit::FAILED,
        format_args!(
            "the demo is about the repository of `{binary}`, and {folder} does not have {missing}\n\
             help: run `{binary} demo` in a clone of that repository, or name it: `{binary} --root FOLDER demo`"
        ),
    ))
}

pub(in crate::commands) async fn demo(app: &AppContext) -> CommandResult {
    let recording = app.definition.demo.ok_or(ExitCode::from(WRONG_USAGE))?;
    let recording = Recording::parse(recording).or_failed()?;
    check_files(app, &recording)?;
    output::line(&format!(
        "The model's messages are recorded; the tools run for real in {}.\n",
        app.folder_text()
    ));
    let prompt = recording.prompt().unwrap_or("Show what you can do.");
    let input = TurnInput::Message(Message::user(prompt));
    let model = Arc::new(ReplayModel::new(recording));
    let job = RunOptions::new(model, Policy::new(Mode::Default));
    runner::run(app, &job, &SessionChoice::Unrecorded, input).await
}
