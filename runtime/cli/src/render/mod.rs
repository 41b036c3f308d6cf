//! Renders a turn for the user: live on a terminal, and line by line in a pipe.

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

pub(super) use formatting::{counted, format_count, render_call};
#[cfg(feature = "models")]
pub(super) use totals::format_dollars;
pub(super) use totals::usage_parts;

#[cfg(feature = "chat")]
use super::markdown::Markdown as Prose;
#[cfg(not(feature = "chat"))]
use prose::Prose;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RenderOptions {
    /// Whether questions are hidden, because the approver shows them in the same place.
    pub(super) hides_questions: bool,
    /// Whether the reasoning of the model is shown in full.
    pub(super) shows_thinking: bool,
    /// Whether the keys that are pressed during the turn are read, among them Esc.
    pub(super) reads_keys: bool,
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
        let screen =
            screen::can_redraw().then(|| Screen::start(View::new(options), options.reads_keys));
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

    /// Reports whether the renderer prints the usage of a turn itself.
    pub(super) fn prints_usage(&self) -> bool {
        matches!(self.target, RenderTarget::Screen(_))
    }

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
