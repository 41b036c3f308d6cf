//! Renders a turn for the user: live on a terminal, and line by line in a pipe.

mod calls;
mod formatting;
mod found;
mod notes;
mod pipe;
#[cfg(not(feature = "chat"))]
mod prose;
mod thinking;
mod totals;
mod view;

use crate::screen::{self, Screen};
use helve_agent::AgentEvent;
use helve_core::support::lock::Mutex;
use pipe::PipeRenderer;
use view::View;

pub use formatting::{counted, format_count, render_call};
pub use found::FoundText;
pub use totals::format_dollars;
pub use totals::usage_parts;

#[cfg(feature = "chat")]
use crate::markdown::Markdown as Prose;
#[cfg(not(feature = "chat"))]
use prose::Prose;

/// The options of a [`Renderer`].
#[derive(Debug, Clone, Copy, Default)]
pub struct RenderOptions {
    /// Whether questions are hidden, because the approver shows them in the same place.
    pub hides_questions: bool,
    /// Whether the reasoning of the model is shown in full.
    pub shows_thinking: bool,
    /// Whether the keys that are pressed during the turn are read, among them Esc.
    pub reads_keys: bool,
}

/// Shows events on standard output, until it is dropped.
#[derive(Debug)]
pub struct Renderer {
    target: RenderTarget,
}

#[derive(Debug)]
enum RenderTarget {
    Pipe(Mutex<PipeRenderer>),
    Screen(Screen),
}

impl Renderer {
    /// Starts to show: with live lines where standard output is a terminal.
    pub fn new(options: RenderOptions) -> Self {
        let screen =
            screen::can_redraw().then(|| Screen::start(View::new(options), options.reads_keys));
        let way = match screen {
            Some(Ok(screen)) => RenderTarget::Screen(screen),
            _ => RenderTarget::Pipe(Mutex::new(PipeRenderer::new(options))),
        };
        Self { target: way }
    }

    /// Shows what is left, and gives the terminal back: what comes after it is not shown.
    pub fn finish(&self) {
        if let RenderTarget::Screen(screen) = &self.target {
            screen.finish();
        }
    }

    /// Reports whether the renderer prints the usage of a turn itself.
    pub fn prints_usage(&self) -> bool {
        matches!(self.target, RenderTarget::Screen(_))
    }

    /// Shows an event.
    pub fn show(&self, event: &AgentEvent) {
        match &self.target {
            RenderTarget::Screen(screen) => screen.show(event),
            RenderTarget::Pipe(pipe) => {
                let mut pipe = pipe.lock();
                pipe.show(event);
            }
        }
    }
}
