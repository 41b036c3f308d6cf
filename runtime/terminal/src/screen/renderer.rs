//! The thread that writes to the terminal.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::colors::Colors;
use super::command::{ScreenCommand, ScreenFrame, ScreenView, Stream};
use super::line::Line;
#[cfg(unix)]
use super::no_echo::NoEcho;
use super::region::{Region, Size};
use helve_agent::AgentEvent;

/// The minimum time between two drawings.
const MIN_DRAW_INTERVAL: Duration = Duration::from_millis(50);
/// The interval between drawings without events, which update the displayed time.
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);

/// The state of the thread that writes to the terminal.
pub(super) struct ScreenRenderer {
    view: Box<dyn ScreenView>,
    region: Region,
    /// Lines that are finished and not yet written.
    finished: Vec<Line>,
    pauses: usize,
    /// The events that arrived during pauses.
    queued: VecDeque<Box<AgentEvent>>,
    last_draw: Option<Instant>,
    changed: bool,
    /// The lines of what the user is typing, below the view.
    typed: Vec<Line>,
    /// Whether each key is read at once.
    #[cfg_attr(not(unix), expect(dead_code, reason = "keys are read on Unix alone"))]
    by_key: bool,
    #[cfg(unix)]
    no_echo: Option<NoEcho>,
}

impl ScreenRenderer {
    pub(super) fn new(view: Box<dyn ScreenView>, colors: Colors, by_key: bool) -> Self {
        Self {
            view,
            region: Region::new(colors),
            finished: Vec::new(),
            pauses: 0,
            queued: VecDeque::new(),
            last_draw: None,
            changed: true,
            typed: Vec::new(),
            by_key,
            #[cfg(unix)]
            no_echo: NoEcho::enable(by_key),
        }
    }

    pub(super) fn run(mut self, commands: &Receiver<ScreenCommand>) {
        loop {
            let command = match commands.recv_timeout(self.time_to_draw()) {
                Ok(ScreenCommand::Finish) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(command) => Some(command),
                Err(RecvTimeoutError::Timeout) => None,
            };
            match command {
                Some(command) => self.execute(command),
                None => self.changed = true,
            }
            if self.pauses == 0 && self.changed && self.time_to_draw().is_zero() {
                self.draw();
            }
        }
        self.finish();
    }

    fn time_to_draw(&self) -> Duration {
        if self.pauses > 0 {
            return Duration::from_secs(3600);
        }
        let Some(drawn) = self.last_draw else {
            return Duration::ZERO;
        };
        let wanted = if self.changed {
            MIN_DRAW_INTERVAL
        } else {
            REDRAW_INTERVAL
        };
        (drawn + wanted).saturating_duration_since(Instant::now())
    }

    fn execute(&mut self, command: ScreenCommand) {
        match command {
            ScreenCommand::Event(event) if self.pauses > 0 => self.queued.push_back(event),
            ScreenCommand::Event(event) => self.handle_event(&event),
            ScreenCommand::Text(text, stream) => self.write_text(&text, stream),
            ScreenCommand::Typed(lines) => {
                self.typed = lines;
                self.changed = true;
            }
            ScreenCommand::Pause(cleared) => {
                if self.pauses == 0 {
                    write(&self.flush_finished());
                    self.set_no_echo(false);
                }
                self.pauses += 1;
                let _ = cleared.send(());
            }
            ScreenCommand::Resume => {
                self.pauses = self.pauses.saturating_sub(1);
                self.set_no_echo(self.pauses == 0);
                while self.pauses == 0
                    && let Some(event) = self.queued.pop_front()
                {
                    self.handle_event(&event);
                }
            }
            ScreenCommand::Finish => {}
        }
    }

    #[cfg(unix)]
    fn set_no_echo(&mut self, is_on: bool) {
        // The old guard restores the terminal first.
        self.no_echo = None;
        self.no_echo = is_on.then(|| NoEcho::enable(self.by_key)).flatten();
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "there are terminals to hush elsewhere")]
    fn set_no_echo(&mut self, _: bool) {}

    fn handle_event(&mut self, event: &AgentEvent) {
        let finished = self.view.handle_event(event, ScreenFrame::current());
        self.finished.extend(finished);
        self.changed = true;
    }

    /// Writes text that is not part of the view above the live lines.
    fn write_text(&mut self, text: &str, stream: Stream) {
        let mut text = text;
        if self.pauses == 0 {
            let mut out = self.flush_finished();
            // Text may start with a line break that ends a line of typed input. Above live lines there is no such line.
            text = text.trim_start_matches('\n');
            if stream == Stream::Stdout {
                out.push_str(text);
            }
            write(&out);
        } else if stream == Stream::Stdout {
            write(text);
        }
        if stream == Stream::Stderr {
            let _ = std::io::stderr().lock().write_all(text.as_bytes());
        }
    }

    /// Returns what takes the live lines away and puts the finished ones there.
    fn flush_finished(&mut self) -> String {
        let out = self.region.draw(&self.finished, &[], Size::of_stdout());
        self.finished.clear();
        self.changed = true;
        out
    }

    fn draw(&mut self) {
        let frame = ScreenFrame::current();
        let mut live = self.view.live_lines(frame);
        live.extend(self.typed.iter().cloned());
        let out = self.region.draw(&self.finished, &live, frame.size);
        write(&out);
        self.finished.clear();
        self.changed = false;
        self.last_draw = Some(Instant::now());
    }

    fn finish(&mut self) {
        while let Some(event) = self.queued.pop_front() {
            self.handle_event(&event);
        }
        self.finished
            .extend(self.view.finish(ScreenFrame::current()));
        write(&self.flush_finished());
    }
}

/// Writes to the terminal with a single write.
fn write(text: &str) {
    if text.is_empty() {
        return;
    }
    let mut stdout = std::io::stdout().lock();
    let _ = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
}
