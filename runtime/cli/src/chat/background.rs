//! Commands of the agent that run in the background: the user and the model are told when they end.

use std::collections::HashSet;
use std::sync::Arc;

use rustyline::ExternalPrinter;
use tokio::task::JoinSet;

use crate::output;
use crate::screen::{self, Stream};
use helve_core::sandbox::{Child, LazySandbox, ProcessId, ProcessStatus, Sandbox};
use helve_core::support::lock::Mutex;

/// Prints above the prompt, while the line editor has the terminal.
pub(super) type PromptPrinter = Arc<Mutex<Box<dyn ExternalPrinter + Send>>>;

/// The commands that are watched.
pub(super) struct BackgroundCommands {
    watched: HashSet<ProcessId>,
    /// The tasks that wait for the end of a command each.
    tasks: JoinSet<()>,
    /// What the model is told with the next message.
    ended: Arc<Mutex<Vec<String>>>,
    printer: Option<PromptPrinter>,
}

impl BackgroundCommands {
    pub(super) fn new(printer: Option<PromptPrinter>) -> Self {
        Self {
            watched: HashSet::new(),
            tasks: JoinSet::new(),
            ended: Arc::default(),
            printer,
        }
    }

    /// Watches the commands that run after a turn.
    pub(super) async fn watch(&mut self, sandbox: Option<&LazySandbox>) {
        let Some(sandbox) = sandbox.and_then(LazySandbox::peek) else {
            return;
        };
        for status in running(sandbox).await {
            if !self.watched.insert(status.id.clone()) {
                continue;
            }
            let child = Child::attach(sandbox, &status.id);
            let (ended, printer) = (self.ended.clone(), self.printer.clone());
            self.tasks.spawn(async move {
                // A sandbox that is gone has ended the command, too.
                let exit = child.wait().await.ok().and_then(|status| status.exit);
                let exit = exit.map_or_else(|| "lost".to_owned(), |exit| exit.to_string());
                let text = format!("`{}` has ended ({exit}): {}", status.id, command(&status));
                print_notice(printer.as_ref(), &format!("background command {text}"));
                ended.lock().push(format!(
                    "[The command in the background {text}. Its output can still be read.]"
                ));
            });
        }
    }

    /// Returns what the model is told with the next message.
    pub(super) fn take_ended(&self) -> Vec<String> {
        std::mem::take(&mut *self.ended.lock())
    }
}

/// Lists the commands of a sandbox that run.
pub(super) async fn running(sandbox: &Arc<dyn Sandbox>) -> Vec<ProcessStatus> {
    let mut list = sandbox.list().await.unwrap_or_default();
    list.retain(|status| status.exit.is_none());
    list
}

/// Renders the command line of a process.
pub(super) fn command(status: &ProcessStatus) -> String {
    match &status.argv[..] {
        [_, option, line] if option == "-c" => line.clone(),
        words => words.join(" "),
    }
}

/// Prints a line above the live lines of a turn, or else above the prompt.
fn print_notice(printer: Option<&PromptPrinter>, text: &str) {
    let line = crate::sanitize::first_line(text, 200);
    if screen::send_text(|| format!("{line}\n"), Stream::Stdout) {
        return;
    }
    let printed = printer.is_some_and(|printer| printer.lock().print(format!("{line}\n")).is_ok());
    if !printed {
        output::note(&line);
    }
}
