//! `chat`: a conversation at the terminal, line by line.

mod commands;
mod conversation;
mod editor;
mod slash;

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::app_context::AppContext;
use super::runner::{RunOptions, SessionChoice, recording_arguments};
use super::screen::{Line, theme};
use super::terminal::Terminal;
use super::{config, exit, output, permissions, session_folder};
use conversation::Chat;
use editor::{EditorInput, LineEditor};

pub(super) fn command() -> Command {
    let thinking = Arg::new("thinking")
        .long("thinking")
        .action(ArgAction::SetTrue)
        .help("Show the full reasoning of the model");
    Command::new("chat")
        .about("Chat with the agent")
        .args(SessionChoice::arguments())
        .mut_arg("no-session", |unrecorded| {
            unrecorded.help("Do not record the session or the input history")
        })
        .arg(RunOptions::dry_run_argument())
        .arg(thinking)
        .args(config::arguments())
        .args(recording_arguments())
        .args(permissions::arguments())
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    if !Terminal::is_attached() {
        let binary = app.binary();
        output::note(&format!(
            "error: `chat` needs a terminal on standard input and output\n\
             help: use `{binary} run PROMPT`, or `{binary} run -` to read the prompt from a pipe"
        ));
        return ExitCode::from(exit::WRONG_USAGE);
    }
    let config = match app.settings_with_notes() {
        Ok(config) => config,
        Err(error) => return exit::wrong_usage(error),
    };
    let job = match RunOptions::from_flags(app, config, matches) {
        Ok(job) => RunOptions {
            dry_run: matches.get_flag("dry-run"),
            ..job
        },
        Err(error) => return exit::wrong_usage(&error),
    };
    let choice = SessionChoice::from_flags(matches);
    run_chat(app, job, choice, matches.get_flag("thinking")).await
}

async fn run_chat(
    app: &AppContext,
    job: RunOptions,
    choice: SessionChoice,
    shows_thinking: bool,
) -> ExitCode {
    let history = match choice {
        SessionChoice::Unrecorded => None,
        _ => session_folder::history_path(app.package.name).ok(),
    };
    let editor = match LineEditor::start(history) {
        Ok(editor) => editor,
        Err(error) => return exit::failed(&error),
    };
    let mut chat = match Chat::open(app, job, choice).await {
        Ok(chat) => chat,
        Err(error) => return exit::failed(&error),
    };
    chat.shows_thinking = shows_thinking;
    chat.print_banner();
    if let Some(open) = chat.open_turn() {
        chat.offer_resume(&editor, &open).await;
    }
    loop {
        match editor.read_line(chat.prompt(), true).await {
            EditorInput::Line(line) if line.trim().is_empty() => {}
            EditorInput::Line(line) if line.starts_with('/') => {
                if commands::run(&mut chat, &line).await.is_break() {
                    break;
                }
            }
            EditorInput::Line(line) => chat.send(line.trim()).await,
            EditorInput::Interrupted => print_hint("press Ctrl-D or type /quit to quit"),
            EditorInput::EndOfInput => break,
        }
    }
    chat.finish().await;
    ExitCode::SUCCESS
}

/// Prints a hint, which is not part of the conversation.
fn print_hint(text: &str) {
    let width = super::screen::Size::of_stdout().columns;
    let lines = text.lines().map(|line| Line::styled(line, theme::DIM));
    output::lines(&lines.flat_map(|line| line.wrap(width)).collect::<Vec<_>>());
}
