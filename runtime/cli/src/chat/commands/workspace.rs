//! The commands that use programs of the user and the terminal.

use std::io::Write as _;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::chat::conversation::Chat;
use crate::chat::printing::{print_hint, print_rows};
use helve_core::transcript::Message;
use helve_terminal::screen::can_redraw;
use helve_terminal::{diff, edit, output};

/// The message of `/init`.
pub(super) const INIT_PROMPT: &str = "Write the file AGENTS.md of this project: what an agent that works here has to \
    know and cannot guess. Look at the project first: how it is built, tested, formatted and checked, which parts it \
    has and where they are, and which conventions its code follows. Keep it short, with commands as they are typed, and \
    state nothing that you have not seen. If there is an AGENTS.md or a CLAUDE.md already, improve it instead.";

/// Prints the changes of the working folder that are not committed.
pub(super) async fn print_diff(chat: &Chat<'_>) {
    let folder = chat.app.folder.clone();
    let output = tokio::task::spawn_blocking(move || {
        // Neither a file of the project nor its settings choose a program that is run here.
        Command::new("git")
            .args(["-c", "core.fsmonitor=false", "--no-pager", "diff", "HEAD"])
            .args(["--no-color", "--no-ext-diff", "--no-textconv"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .output()
    });
    match output.await.map_err(std::io::Error::other).flatten() {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            if text.is_empty() {
                return print_hint("there are no uncommitted changes; new files are not compared");
            }
            output::lines(&diff::render_lines(&text));
        }
        // Outside of a repository, git compares two files, and prints how to.
        Ok(output) if output.status.code() == Some(129) => {
            print_hint("the working folder is not in a Git repository");
        }
        Ok(output) => {
            let error = String::from_utf8_lossy(&output.stderr);
            print_hint(&format!("git failed: {}", error.trim()));
        }
        Err(error) => print_hint(&format!("failed to run git: {error}")),
    }
}

/// Prints the commands of the sandbox that still run.
pub(super) async fn print_background(chat: &Chat<'_>) {
    let running = chat.running_commands().await;
    if running.is_empty() {
        return print_hint("no commands run in the background");
    }
    print_rows(&running);
    print_hint("the agent reads their output and ends them with its tools");
}

/// Puts the last reply into the clipboard of the terminal.
pub(super) fn copy_reply(chat: &Chat<'_>) {
    let replies = chat.messages().iter().rev();
    let mut texts = replies.filter_map(|message| match message {
        Message::Assistant(reply) => Some(reply.text()),
        _ => None,
    });
    let Some(text) = texts.find(|text| !text.trim().is_empty()) else {
        return print_hint("there is no reply to copy");
    };
    if !can_redraw() {
        return print_hint("this terminal has no clipboard; use /export FILE");
    }
    // OSC 52, which reaches the clipboard through SSH and tmux, too.
    let sequence = format!("\x1b]52;c;{}\x07", STANDARD.encode(&text));
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(sequence.as_bytes());
    output::record_write(written.and_then(|()| stdout.flush()));
    let characters = text.chars().count();
    print_hint(&format!(
        "{characters} characters were sent to the clipboard of the terminal"
    ));
}

/// Opens an editor for the next message, which is then in the prompt.
pub(super) async fn open_editor(chat: &mut Chat<'_>) {
    let program = edit::editor_program().unwrap_or_else(|| "vi".to_owned());
    match edit::edit_text(program, String::new(), "md").await {
        Ok(text) => chat.set_input(text.trim_end().to_owned()),
        Err(error) => print_hint(&format!("failed to edit the message: {error}")),
    }
}
