//! What a person sees of a turn: on a terminal as it happens, in a pipe line by line.

mod calls;
mod pipe;
#[cfg(not(feature = "chat"))]
mod prose;
pub(super) mod sessions;
#[cfg(feature = "skills")]
pub(super) mod skills;
mod thinking;
mod totals;
mod view;
mod words;

use super::screen::{self, Screen};
use crate::agent::AgentEvent;
use crate::support::lock::Mutex;
use pipe::Pipe;
use view::View;

pub(super) use totals::Totals;
pub(super) use words::amount;

#[cfg(feature = "chat")]
use super::markdown::Markdown as Prose;
#[cfg(not(feature = "chat"))]
use prose::Prose;

/// How events are shown.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Options {
    /// Whether somebody else puts the questions where the events are shown.
    pub(super) leaves_questions: bool,
    /// Whether what the model thinks is shown in full.
    pub(super) shows_thinking: bool,
}

/// Shows events on standard output, until it is dropped.
#[derive(Debug)]
pub(super) struct Renderer {
    way: Way,
}

#[derive(Debug)]
enum Way {
    Pipe(Mutex<Pipe>),
    Screen(Screen),
}

impl Renderer {
    /// Starts to show: with live lines where standard output is a terminal.
    pub(super) fn new(options: Options) -> Self {
        let screen = screen::redraws().then(|| Screen::of(View::new(options)));
        let way = match screen {
            Some(Ok(screen)) => Way::Screen(screen),
            _ => Way::Pipe(Mutex::new(Pipe::new(options))),
        };
        Self { way }
    }

    /// Shows what is left, and gives the terminal back: what comes after it is not shown.
    pub(super) fn finish(&self) {
        if let Way::Screen(screen) = &self.way {
            screen.finish();
        }
    }

    /// Reports whether it tells itself what a turn used up.
    pub(super) fn tells_usage(&self) -> bool {
        matches!(self.way, Way::Screen(_))
    }

    /// Shows an event.
    pub(super) fn show(&self, event: &AgentEvent) {
        match &self.way {
            Way::Screen(screen) => screen.show(event),
            Way::Pipe(pipe) => {
                let mut pipe = pipe.lock();
                pipe.show(event);
            }
        }
    }
}
