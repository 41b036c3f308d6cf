//! A prompt that names a command of a file: `run "/NAME ARGUMENTS"`.

use std::process::ExitCode;

use crate::app_context::AppContext;
use crate::custom_commands::{self, CustomCommands};
use crate::exit::OrExit as _;
use crate::runner::RunOptions;
use helve_core::transcript::{ContentBlock, Message};
use helve_terminal::questions::Terminal;

/// Returns the message of a prompt. A prompt that names no command is sent as it is.
pub(super) async fn message(
    app: &AppContext,
    options: &mut RunOptions,
    prompt: String,
) -> Result<Message, ExitCode> {
    let Some(text) = prompt.strip_prefix('/') else {
        return Ok(Message::user(prompt));
    };
    let (name, arguments) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let commands = CustomCommands::read(&app.folder);
    let command = commands.get(name);
    // A name has one meaning, here and in a chat.
    let Some(command) = command.filter(|_| !crate::chat::is_builtin_command(name)) else {
        return Ok(Message::user(prompt));
    };
    let asks = !options.json && !options.defers_questions && Terminal::is_attached();
    let prepared = custom_commands::prepare(app, options, command, arguments, asks).await;
    let prepared = prepared.or_failed()?;
    prepared.apply(app, options);
    let mut content = vec![ContentBlock::text(prepared.text)];
    content.extend(prepared.files);
    Ok(Message::User { content })
}
