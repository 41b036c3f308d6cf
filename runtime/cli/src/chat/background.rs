//! Commands of the agent that run in the background: the user and the model are told when they end.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::task::JoinSet;

use helve_core::sandbox::{Child, LazySandbox, ProcessId, ProcessStatus, Sandbox};
use helve_core::support::lock::Mutex;
use helve_terminal::screen::{self, Stream};

/// The commands that are watched.
pub(super) struct BackgroundCommands {
    watched: HashSet<ProcessId>,
    /// The tasks that wait for the end of a command each.
    tasks: JoinSet<()>,
    /// What the model is told with the next message.
    ended: Arc<Mutex<Vec<String>>>,
    /// What the user is told before the next prompt.
    notices: Arc<Mutex<Vec<String>>>,
}

impl BackgroundCommands {
    pub(super) fn new() -> Self {
        Self {
            watched: HashSet::new(),
            tasks: JoinSet::new(),
            ended: Arc::default(),
            notices: Arc::default(),
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
            let (ended, notices) = (self.ended.clone(), self.notices.clone());
            self.tasks.spawn(async move {
                // A sandbox that is gone has ended the command, too.
                let exit = child.wait().await.ok().and_then(|status| status.exit);
                let exit = exit.map_or_else(|| "lost".to_owned(), |exit| exit.to_string());
                let text = format!("`{}` has ended ({exit}): {}", status.id, command(&status));
                let notice = helve_terminal::sanitize::first_line(
                    &format!("background command {text}"),
                    200,
                );
                // During a turn, the screen shows it at once.
                if !screen::send_text(|| format!("{notice}\n"), Stream::Stdout) {
                    notices.lock().push(notice);
                }
                ended.lock().push(format!(
                    "[The command in the background {text}. Its output can still be read.]"
                ));
            });
        }
    }

    /// Returns what the user is told before the next prompt.
    pub(super) fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.notices.lock())
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
