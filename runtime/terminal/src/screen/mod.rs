//! The screen: finished text stays, and a few live lines below it are redrawn in place.
//!
//! A separate thread writes to the terminal, so that a slow terminal does not block the program and the live lines are
//! updated while the program is busy. Other output of the program goes through the active screen, see [`send_text`].

mod colors;
mod command;
mod line;
#[cfg(unix)]
mod no_echo;
mod region;
mod renderer;
pub mod theme;

use std::sync::mpsc::{self, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

pub use colors::{Colors, can_redraw};
use command::ScreenCommand;
pub use command::{ScreenFrame, ScreenView, Stream};
pub use line::Line;
#[cfg(unix)]
pub use no_echo::NoEcho;
#[cfg(all(unix, feature = "chat"))]
pub(crate) use region::Region;
pub use region::Size;
use renderer::ScreenRenderer;

use helve_agent::AgentEvent;
use helve_core::support::lock::Mutex;

static ACTIVE: Mutex<Option<Sender<ScreenCommand>>> = Mutex::new(None);

/// An active screen, until it is dropped.
#[derive(Debug)]
pub struct Screen {
    commands: Sender<ScreenCommand>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Screen {
    /// Starts the screen. With `by_key`, the keys that are pressed can be read at once.
    pub fn start(view: impl ScreenView, by_key: bool) -> std::io::Result<Self> {
        let (commands, receiver) = mpsc::channel();
        let renderer = ScreenRenderer::new(Box::new(view), Colors::of_stdout(), by_key);
        let thread = std::thread::Builder::new().name("screen".to_owned());
        let thread = thread.spawn(move || renderer.run(&receiver))?;
        *ACTIVE.lock() = Some(commands.clone());
        Ok(Self {
            commands,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Shows an event, soon.
    pub fn show(&self, event: &AgentEvent) {
        let _ = self
            .commands
            .send(ScreenCommand::Event(Box::new(event.clone())));
    }

    /// Shows what is left, and gives the terminal back.
    pub fn finish(&self) {
        let thread = self.thread.lock().take();
        if let Some(thread) = thread {
            *ACTIVE.lock() = None;
            let _ = self.commands.send(ScreenCommand::Finish);
            let _ = thread.join();
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Sends a text to the active screen, which writes it above its live lines. Returns whether there is an active screen.
pub fn send_text(text: impl FnOnce() -> String, stream: Stream) -> bool {
    let active = ACTIVE.lock();
    let commands = active.as_ref();
    commands.is_some_and(|commands| commands.send(ScreenCommand::Text(text(), stream)).is_ok())
}

/// Shows what the user is typing below the live lines.
#[cfg(all(unix, feature = "chat"))]
pub fn show_typed(lines: Vec<Line>) {
    if let Some(commands) = &*ACTIVE.lock() {
        let _ = commands.send(ScreenCommand::Typed(lines));
    }
}

/// A pause of the screen, until it is dropped: another part of the program uses the terminal.
#[derive(Debug)]
pub struct ScreenPause(Option<Sender<ScreenCommand>>);

/// Pauses the screen. The live lines are cleared when this returns, and nothing is written until the pause is dropped.
pub async fn pause() -> ScreenPause {
    let commands = ACTIVE.lock().clone();
    let Some(commands) = commands else {
        return ScreenPause(None);
    };
    let (sender, cleared) = oneshot::channel();
    // Made first: a caller that is dropped while it waits gives the terminal back.
    let pause = ScreenPause(Some(commands.clone()));
    if commands.send(ScreenCommand::Pause(sender)).is_ok() {
        let _ = cleared.await;
    }
    pause
}

impl Drop for ScreenPause {
    fn drop(&mut self) {
        if let Some(commands) = self.0.take() {
            let _ = commands.send(ScreenCommand::Resume);
        }
    }
}

/// Clears the live lines before the process exits; waits a moment for it.
pub fn clear_for_exit() {
    let Some(commands) = ACTIVE.lock().take() else {
        return;
    };
    let (sender, mut cleared) = oneshot::channel();
    if commands.send(ScreenCommand::Pause(sender)).is_err() {
        return;
    }
    let deadline = Instant::now() + Duration::from_millis(100);
    while Instant::now() < deadline && cleared.try_recv().is_err() {
        std::thread::sleep(Duration::from_millis(1));
    }
}
