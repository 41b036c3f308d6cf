//! What a person sees of a turn: on a terminal as it happens, in a pipe line by line.

mod calls;
mod formatting;
mod pipe;
#[cfg(not(feature = "chat"))]
mod prose;
pub(super) mod sessions;
#[cfg(feature = "skills")]
pub(super) mod skills;
mod thinking;
mod totals;
mod view;

use super::screen::{self, Screen};
use helve_agent::AgentEvent;
use helve_core::support::lock::Mutex;
use pipe::PipeRenderer;
use view::View;

pub(super) use formatting::format_count;
pub(super) use totals::UsageTotals;

#[cfg(feature = "chat")]
use super::markdown::Markdown as Prose;
#[cfg(not(feature = "chat"))]
use prose::Prose;

/// How events are shown.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RenderOptions {
    /// Whether somebody else puts the questions where the events are shown.
    pub(super) hides_questions: bool,
    /// Whether what the model thinks is shown in full.
    pub(super) shows_thinking: bool,
}

/// Shows events on standard output, until it is dropped.
#[derive(Debug)]
pub(super) struct Renderer {
    target: RenderTarget,
}

#[derive(Debug)]
enum RenderTarget {
    Pipe(Mutex<PipeRenderer>),
    Screen(Screen),
}

impl Renderer {
    /// Starts to show: with live lines where standard output is a terminal.
    pub(super) fn new(options: RenderOptions) -> Self {
        let screen = screen::can_redraw().then(|| Screen::start(View::new(options)));
        let way = match screen {
            Some(Ok(screen)) => RenderTarget::Screen(screen),
            _ => RenderTarget::Pipe(Mutex::new(PipeRenderer::new(options))),
        };
        Self { target: way }
    }

    /// Shows what is left, and gives the terminal back: what comes after it is not shown.
    pub(super) fn finish(&self) {
        if let RenderTarget::Screen(screen) = &self.target {
            screen.finish();
        }
    }

    /// Reports whether it tells itself what a turn used up.
    pub(super) fn prints_usage(&self) -> bool {
        matches!(self.target, RenderTarget::Screen(_))
    }

    /// Shows an event.
    pub(super) fn show(&self, event: &AgentEvent) {
        match &self.target {
            RenderTarget::Screen(screen) => screen.show(event),
            RenderTarget::Pipe(pipe) => {
                let mut pipe = pipe.lock();
                pipe.show(event);
            }
        }
    }
}
