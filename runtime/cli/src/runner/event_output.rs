//! The output of events: for a person, or as NDJSON for a program.

use std::io;
use std::sync::Arc;

use super::run_options::RunOptions;
use crate::app_context::AppContext;
use helve_agent::{AgentEvent, EventHeader, Events, NdjsonWriter, TurnReport};
use helve_core::transcript::SessionId;
use helve_terminal::output;
use helve_terminal::render::{RenderOptions, Renderer, usage_parts};

pub(super) struct EventOutput {
    target: Arc<EventTarget>,
    writer: Option<NdjsonWriter>,
}

enum EventTarget {
    /// The terminal or a pipe, for a person.
    Terminal(Renderer),
    /// A program, which reads nothing else on standard output.
    Ndjson(Events),
}

impl EventOutput {
    /// Creates the output that the options ask for. Questions are not rendered if the approver asks them at this
    /// terminal.
    pub(super) fn new(
        app: &AppContext,
        options: &RunOptions,
        session: Option<&SessionId>,
        asks_here: bool,
    ) -> io::Result<Self> {
        match options.json {
            false => Ok(Self::terminal(asks_here)),
            true => Self::ndjson(app, session),
        }
    }

    /// Creates the output for a person. Questions are not rendered if the approver asks them at this terminal.
    pub(super) fn terminal(asks_here: bool) -> Self {
        let renderer = Renderer::new(RenderOptions {
            hides_questions: asks_here,
            ..RenderOptions::default()
        });
        Self {
            target: Arc::new(EventTarget::Terminal(renderer)),
            writer: None,
        }
    }

    /// Creates the output for a program.
    fn ndjson(app: &AppContext, session: Option<&SessionId>) -> io::Result<Self> {
        let header = EventHeader::new(app.package.name, app.package.version);
        let header = match session {
            Some(session) => header.session(session.clone()),
            None => header,
        };
        let events = Events::new();
        let writer = NdjsonWriter::start(events.reader(), header, io::stdout())?;
        Ok(Self {
            target: Arc::new(EventTarget::Ndjson(events)),
            writer: Some(writer),
        })
    }

    pub(super) fn sink(&self) -> impl Fn(AgentEvent) + Send + Sync + 'static {
        let to = self.target.clone();
        move |event| match &*to {
            EventTarget::Terminal(renderer) => renderer.show(&event),
            EventTarget::Ndjson(events) => events.emit(event),
        }
    }

    /// Prints the usage of the turn, and waits until all output is written.
    pub(super) fn finish(self, report: Option<&TurnReport>) {
        match &*self.target {
            EventTarget::Terminal(renderer) => {
                renderer.finish();
                if let Some(report) = report.filter(|_| !renderer.prints_usage()) {
                    print_usage(report);
                }
            }
            EventTarget::Ndjson(events) => events.close(),
        }
        if let Some(writer) = self.writer {
            output::record_write(writer.finish());
        }
    }
}

/// Prints the usage of a turn in addition to its text; nothing if the model reported no usage.
fn print_usage(report: &TurnReport) {
    let words = usage_parts(&report.totals.usage, report.totals.cost, None);
    if !words.is_empty() {
        output::note(&format!("tokens: {}", words.join(" · ")));
    }
}
