//! Commands that the user runs from the prompt with `!`, outside of the sandbox.

use std::io::Read as _;
use std::path::Path;
use std::process::{ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::conversation::Chat;
use super::printing::print_hint;
use crate::attachments::enclose;
use helve_core::support::text::first_chars;
use helve_terminal::output;

/// The maximum length of the output that the model sees, in characters.
const MAX_CHARS: usize = 30_000;

/// How long output is awaited after the end of a command. A program that the command leaves running may write later.
const SETTLING_TIME: Duration = Duration::from_millis(100);

/// Runs a command, shows its output, and keeps it for the next message.
pub(super) async fn run(chat: &mut Chat<'_>, command: &str) {
    if command.is_empty() {
        return print_hint("type a command after the `!`");
    }
    let (folder, line) = (chat.app.folder.clone(), command.to_owned());
    let running = async { tokio::task::spawn_blocking(move || show_output(&line, &folder)).await };
    // Ctrl-C ends the command, and not this program.
    let ignoring = async {
        while tokio::signal::ctrl_c().await.is_ok() {}
        std::future::pending().await
    };
    let done = tokio::select! {
        biased;
        never = ignoring => never,
        done = running => done,
    };
    let (text, status) = match done.map_err(std::io::Error::other).flatten() {
        Ok(done) => done,
        Err(error) => return print_hint(&format!("failed to run the command: {error}")),
    };
    let mut text = match text.chars().count() > MAX_CHARS {
        true => format!("{}\n[the rest is left out]", first_chars(&text, MAX_CHARS)),
        false => text,
    };
    if !status.success() {
        print_hint(&status.to_string());
        text.push_str(&format!("\n[{status}]"));
    }
    let note = enclose("command_of_the_user", "command", command, &text);
    chat.notes.push(format!(
        "The user ran this command outside of the sandbox, and saw its output:\n{note}"
    ));
}

/// Runs a command, and prints its output as it is written.
fn show_output(command: &str, folder: &Path) -> std::io::Result<(String, ExitStatus)> {
    let mut shell = if cfg!(windows) {
        let mut shell = Command::new("cmd");
        shell.args(["/C", command]);
        shell
    } else {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec 2>&1\n{command}")]);
        shell
    };
    let shell = shell.current_dir(folder).stdin(Stdio::null());
    let mut child = shell.stdout(Stdio::piped()).spawn()?;
    let chunks = child.stdout.take().map(read_chunks).transpose()?;
    let (mut text, mut pending) = (String::new(), Vec::new());
    let mut ended: Option<Instant> = None;
    while let Some(chunks) = &chunks {
        let received = chunks.recv_timeout(SETTLING_TIME);
        if ended.is_none() && child.try_wait()?.is_some() {
            ended = Some(Instant::now());
        }
        let is_over = match &received {
            Ok(_) => ended.is_some_and(|ended| ended.elapsed() > SETTLING_TIME),
            Err(RecvTimeoutError::Timeout) => ended.is_some(),
            Err(RecvTimeoutError::Disconnected) => true,
        };
        pending.extend(received.unwrap_or_default());
        // A character that is not complete waits for its rest.
        let end = match std::str::from_utf8(&pending) {
            Err(error) if error.error_len().is_none() && !is_over => error.valid_up_to(),
            _ => pending.len(),
        };
        let shown = String::from_utf8_lossy(&pending[..end]).into_owned();
        pending.drain(..end);
        output::print(&shown);
        text.push_str(&shown);
        if is_over {
            break;
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        output::line("");
    }
    Ok((text, child.wait()?))
}

/// Reads chunks of output until its end. A program that the command leaves running has the output open: it can go on
/// writing, and what it writes is read and dropped once the receiver is gone.
fn read_chunks(mut output: ChildStdout) -> std::io::Result<Receiver<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    let reading = move || {
        let mut bytes = [0; 8192];
        while let Ok(length @ 1..) = output.read(&mut bytes) {
            let _ = sender.send(bytes[..length].to_vec());
        }
    };
    let thread = std::thread::Builder::new().name("command output".to_owned());
    thread.spawn(reading)?;
    Ok(receiver)
}
