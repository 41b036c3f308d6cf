//! To whom the events of a turn are told: a person, or a program that reads JSON.

use std::io;
use std::sync::Arc;

use crate::agent::{AgentEvent, EventHeader, Events, NdjsonWriter, TurnReport};
use crate::cli::app_context::AppContext;
use crate::cli::output;
use crate::cli::render::{Options, Renderer, Totals};
use crate::transcript::SessionId;

/// To whom the events of a turn are told.
pub(super) struct Telling {
    to: Arc<To>,
    writer: Option<NdjsonWriter>,
}

enum To {
    /// A person.
    Person(Renderer),
    /// A program, which reads nothing else on standard output.
    Program(Events),
}

impl Telling {
    /// Tells a person; questions are left to whoever puts them, where somebody does.
    pub(super) fn to_person(asks_here: bool) -> Self {
        let renderer = Renderer::new(Options {
            leaves_questions: asks_here,
            ..Options::default()
        });
        Self {
            to: Arc::new(To::Person(renderer)),
            writer: None,
        }
    }

    /// Tells a program.
    pub(super) fn to_program(app: &AppContext, session: Option<&SessionId>) -> io::Result<Self> {
        let header = EventHeader::new(app.package.name, app.package.version);
        let header = match session {
            Some(session) => header.session(session.clone()),
            None => header,
        };
        let events = Events::new();
        let writer = NdjsonWriter::start(events.reader(), header, io::stdout())?;
        Ok(Self {
            to: Arc::new(To::Program(events)),
            writer: Some(writer),
        })
    }

    /// Makes what an agent tells its events to.
    pub(super) fn sink(&self) -> impl Fn(AgentEvent) + Send + Sync + 'static {
        let to = self.to.clone();
        move |event| match &*to {
            To::Person(renderer) => renderer.show(&event),
            To::Program(events) => events.tell(event),
        }
    }

    /// Tells what the turn used up, and waits until everything is told.
    pub(super) fn finish(self, report: Option<&TurnReport>) {
        match &*self.to {
            To::Person(renderer) => {
                renderer.finish();
                if let Some(report) = report.filter(|_| !renderer.tells_usage()) {
                    tell_usage(report);
                }
            }
            To::Program(events) => events.close(),
        }
        if let Some(writer) = self.writer {
            output::written(writer.finish());
        }
    }
}

/// Tells what a turn used up, beside its words; nothing where the model did not say.
fn tell_usage(report: &TurnReport) {
    let mut totals = Totals::default();
    totals.add(&report.totals.usage, report.totals.cost);
    let words = totals.words(None);
    if !words.is_empty() {
        output::note(&format!("tokens: {}", words.join(" · ")));
    }
}
