//! The view of the screen's thread, and the commands that the thread executes.

use std::time::Instant;

use tokio::sync::oneshot;

use super::line::Line;
use super::region::Size;
use helve_agent::AgentEvent;

/// The content of a screen: it takes events, and returns the finished lines and the lines that may still change.
pub trait ScreenView: Send + 'static {
    /// Handles an event, and returns the lines that it finishes.
    fn handle_event(&mut self, event: &AgentEvent, frame: ScreenFrame) -> Vec<Line>;

    /// Returns the lines that may still change.
    fn live_lines(&self, frame: ScreenFrame) -> Vec<Line>;

    /// Returns the lines that may still change, finished: no event follows.
    fn finish(&mut self, frame: ScreenFrame) -> Vec<Line>;
}

/// The time at which a view is drawn, and the size of the terminal at that time.
#[derive(Debug, Clone, Copy)]
pub struct ScreenFrame {
    /// The time.
    pub now: Instant,
    /// The size of the terminal.
    pub size: Size,
}

impl ScreenFrame {
    /// Returns the current time and size.
    pub fn current() -> Self {
        Self {
            now: Instant::now(),
            size: Size::of_stdout(),
        }
    }
}

pub(super) enum ScreenCommand {
    Event(Box<AgentEvent>),
    /// Text of another part of the program.
    Text(String, Stream),
    /// The lines of what the user is typing, which are shown below the view.
    #[cfg_attr(
        not(all(unix, feature = "chat")),
        expect(dead_code, reason = "a chat reads keys, on Unix alone")
    )]
    Typed(Vec<Line>),
    /// Removes the live lines, and writes nothing until `Resume`.
    Pause(oneshot::Sender<()>),
    Resume,
    Finish,
}

/// An output stream of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}
