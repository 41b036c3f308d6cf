//! To whom the events of a turn are told: a person, or a program that reads JSON.

use std::io;
use std::sync::Arc;

use crate::app_context::AppContext;
use crate::output;
use crate::render::{RenderOptions, Renderer, UsageTotals};
use helve_agent::{AgentEvent, EventHeader, Events, NdjsonWriter, TurnReport};
use helve_core::transcript::SessionId;

/// To whom the events of a turn are told.
pub(super) struct EventOutput {
    target: Arc<EventTarget>,
    writer: Option<NdjsonWriter>,
}

enum EventTarget {
    /// A person.
    Terminal(Renderer),
    /// A program, which reads nothing else on standard output.
    Ndjson(Events),
}

impl EventOutput {
    /// Tells a person; questions are left to whoever puts them, where somebody does.
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

    /// Tells a program.
    pub(super) fn ndjson(app: &AppContext, session: Option<&SessionId>) -> io::Result<Self> {
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

    /// Makes what an agent tells its events to.
    pub(super) fn sink(&self) -> impl Fn(AgentEvent) + Send + Sync + 'static {
        let to = self.target.clone();
        move |event| match &*to {
            EventTarget::Terminal(renderer) => renderer.show(&event),
            EventTarget::Ndjson(events) => events.emit(event),
        }
    }

    /// Tells what the turn used up, and waits until everything is told.
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

/// Tells what a turn used up, beside its words; nothing where the model did not say.
fn print_usage(report: &TurnReport) {
    let mut totals = UsageTotals::default();
    totals.add(&report.totals.usage, report.totals.cost);
    let words = totals.parts(None);
    if !words.is_empty() {
        output::note(&format!("tokens: {}", words.join(" · ")));
    }
}
