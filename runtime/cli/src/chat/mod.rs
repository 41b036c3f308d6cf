//! `chat`: a conversation at the terminal, line by line.

mod background;
mod commands;
mod conversation;
mod editor;
mod key_listener;
mod printing;
mod slash;
mod suggestions;
mod type_ahead;
mod user_command;

pub(super) use slash::is_taken as is_builtin_command;

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::app_context::AppContext;
use super::exit::{CommandResult, OrExit as _};
use super::runner::{RunOptions, SessionChoice, recording_arguments};
use super::{args, config, exit, hooks, permissions, session_folder};
use conversation::Chat;
use editor::{EditorInput, LineEditor};
use helve_terminal::questions::Terminal;

pub(super) fn command() -> Command {
    Command::new("chat")
        .about("Chat with the agent")
        .arg(args::positional("prompt", "PROMPT", "The first message"))
        .args(SessionChoice::arguments())
        .mut_arg("no-session", |unrecorded| {
            unrecorded.help("Do not record the session or the input history")
        })
        .arg(RunOptions::dry_run_argument())
        .arg(args::flag(
            "thinking",
            "Show the full reasoning of the model",
        ))
        .args(config::arguments())
        .args(recording_arguments())
        .args(permissions::arguments())
        .args(hooks::argument())
        .args(agent_argument())
}

#[cfg(feature = "agents")]
fn agent_argument() -> Option<clap::Arg> {
    Some(super::runner::named_agents::argument())
}

#[cfg(not(feature = "agents"))]
fn agent_argument() -> Option<clap::Arg> {
    None
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    if !Terminal::is_attached() {
        let binary = app.binary();
        return Err(exit::with_message(
            exit::WRONG_USAGE,
            format_args!(
                "`chat` needs a terminal on standard input and output\n\
                 help: use `{binary} run PROMPT`, or `{binary} run -` to read the prompt from a pipe"
            ),
        ));
    }
    let config = app.settings_with_notes().or_wrong_usage()?;
    #[cfg(feature = "agents")]
    let named = super::runner::named_agents::from_flags(app, matches).or_wrong_usage()?;
    let job = RunOptions {
        #[cfg(feature = "agents")]
        named,
        dry_run: matches.get_flag("dry-run"),
        suggestions: config
            .integer(&["chat", "suggest"])
            .and_then(|most| u8::try_from(most).ok())
            .unwrap_or_default(),
        ..RunOptions::from_flags(app, config, matches).or_wrong_usage()?
    };
    #[cfg(feature = "agents")]
    let initial = job
        .named
        .as_ref()
        .and_then(|agent| agent.spec().initial_prompt.clone());
    #[cfg(not(feature = "agents"))]
    let initial: Option<String> = None;
    let choice = SessionChoice::from_flags(matches);
    let first = matches.get_one::<String>("prompt");
    let first = first
        .map(|prompt| prompt.trim())
        .filter(|prompt| !prompt.is_empty())
        .or(initial.as_deref());
    run_chat(app, job, choice, first, matches.get_flag("thinking")).await
}

async fn run_chat(
    app: &AppContext,
    job: RunOptions,
    choice: SessionChoice,
    first: Option<&str>,
    shows_thinking: bool,
) -> CommandResult {
    let history = match choice {
        SessionChoice::Unrecorded => None,
        _ => session_folder::history_path(app.package.name).ok(),
    };
    let editor = LineEditor::start(history, app.folder.clone()).or_failed()?;
    let mut chat = Chat::open(app, job, choice).await.or_failed()?;
    chat.shows_thinking = shows_thinking;
    chat.suggestions = editor.suggestions();
    chat.print_banner();
    #[cfg(feature = "schedule")]
    super::schedules::print_inbox(app).await;
    if let Some(open) = chat.open_turn() {
        chat.offer_resume(&editor, &open).await;
    }
    if let Some(first) = first {
        let is_command = first.starts_with('/') && commands::start_custom(&mut chat, first).await;
        if !is_command {
            chat.send(first).await;
        }
    }
    loop {
        match chat.next_input(&editor).await {
            EditorInput::Line(line) if line.trim().is_empty() => {}
            EditorInput::Line(line) if line.starts_with('/') => {
                if commands::run(&mut chat, &editor, &line).await.is_break() {
                    break;
                }
            }
            EditorInput::Line(line) => match line.strip_prefix('!') {
                Some(command) => user_command::run(&mut chat, command.trim()).await,
                None if commands::start_agent(&mut chat, line.trim()).await => {}
                None => chat.send_with_files(line.trim()).await,
            },
            EditorInput::NextMode(text, at) => chat.cycle_mode(text, at),
            EditorInput::Interrupted => printing::print_hint("press Ctrl-D or type /quit to quit"),
            EditorInput::EndOfInput => break,
        }
    }
    chat.finish().await;
    Ok(ExitCode::SUCCESS)
}
