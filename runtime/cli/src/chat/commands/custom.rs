//! The commands that files of the user and the project define.

use crate::acceptance;
use crate::chat::conversation::Chat;
use crate::chat::printing::{print_hint, print_rows};
use crate::chat::slash;
use crate::custom_commands::{self, CustomCommand, CustomCommands};
use helve_permission::acceptances::AcceptanceState;
use helve_terminal::{output, sanitize};

/// The maximum length of a description, in characters.
const MAX_DESCRIPTION: usize = 100;

/// Starts the command that a line names. Returns whether the command exists.
pub(in crate::chat) async fn start(chat: &mut Chat<'_>, line: &str) -> bool {
    let text = line.strip_prefix('/').unwrap_or(line);
    let (name, arguments) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let commands = CustomCommands::read(&chat.app.folder);
    let Some(command) = commands.get(name).filter(|_| !slash::is_taken(name)) else {
        return false;
    };
    match custom_commands::prepare(chat.app, &chat.options, command, arguments, true).await {
        Ok(prepared) => chat.send_command(prepared).await,
        Err(error) => output::error(&error),
    }
    true
}

/// Prints the commands, and the files that define none.
pub(super) fn print_list(chat: &Chat<'_>) {
    let commands = CustomCommands::read(&chat.app.folder);
    let rows = commands.named(slash::is_taken).into_iter();
    let rows: Vec<_> = rows.map(|(name, command)| row(&name, command)).collect();
    if !rows.is_empty() {
        print_hint("Commands of the project and of your own:");
        print_rows(&rows);
    }
    for note in commands.notes() {
        print_hint(&note);
    }
}

fn row(name: &str, command: &CustomCommand) -> (String, String) {
    let hint = sanitize::one_line(command.argument_hint()).into_owned();
    let name = format!("/{name} {}", sanitize::first_line(&hint, 40));
    let description = sanitize::replace_controls(command.description()).into_owned();
    let description = sanitize::first_line(&description, MAX_DESCRIPTION);
    let held = match command.state(&acceptance::user_store()) {
        Ok(AcceptanceState::Accepted) => "",
        Ok(AcceptanceState::Changed) => ", changed since you accepted it",
        _ => ", not accepted",
    };
    let about = format!("{description} ({}{held})", command.origin());
    (name.trim_end().to_owned(), about)
}
