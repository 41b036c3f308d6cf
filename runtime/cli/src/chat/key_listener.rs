//! Listens to the keys that are pressed while a turn runs.

use std::sync::Arc;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::type_ahead::TypeAhead;
use helve_core::support::lock::Mutex;
use helve_terminal::screen::Line;

/// Listens until it is stopped; without a screen that is redrawn, the terminal keeps the keys for the next prompt.
pub(super) struct KeyListener(Option<JoinHandle<()>>);

impl KeyListener {
    #[cfg(unix)]
    pub(super) fn start(
        typed: Arc<Mutex<TypeAhead>>,
        prompt: Line,
        stop: CancellationToken,
    ) -> Self {
        use crate::runner::interrupt::interrupt_on_key;
        use helve_terminal::questions::read_keys;
        use helve_terminal::screen;

        if !screen::can_redraw() {
            return Self(None);
        }
        show_typed(&typed.lock(), &prompt);
        Self(Some(tokio::spawn(read_keys(move |key| {
            let mut typed = typed.lock();
            if typed.press(key) {
                interrupt_on_key(&stop);
            }
            show_typed(&typed, &prompt);
        }))))
    }

    #[cfg(not(unix))]
    pub(super) fn start(_: Arc<Mutex<TypeAhead>>, _: Line, _: CancellationToken) -> Self {
        Self(None)
    }

    /// Stops, so that another reader has the terminal.
    pub(super) async fn stop(self) {
        if let Some(task) = self.0 {
            task.abort();
            let _ = task.await;
        }
    }
}

/// Shows what is typed below the turn, where the screen is redrawn.
pub(super) fn show_typed(typed: &TypeAhead, prompt: &Line) {
    #[cfg(unix)]
    if helve_terminal::screen::can_redraw() {
        use helve_terminal::screen::{self, Size};

        // A line that fills its row would be cut.
        let width = Size::of_stdout().columns - 1;
        screen::show_typed(typed.lines(prompt, width));
    }
    #[cfg(not(unix))]
    let _ = (typed, prompt);
}
