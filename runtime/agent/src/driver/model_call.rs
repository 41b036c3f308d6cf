//! Calling the model.

use std::pin::pin;
use std::slice::from_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::Instant;
use tracing::Instrument;

use super::driver_event::DriverEvent;
use super::event_emitter::EventEmitter;
use super::spans;
use super::state::{Driver, Recorded};
use super::stop_token::StopToken;
use crate::hook::ModelSite;
use crate::spec::Agent;
use crate::turn::{Purpose, Record};
use helve_model::{Assembler, Model, ModelError, ModelEvent, ModelRequest, Reply};
use helve_permission::call::{InnerRun, Next, catch_panics, run_until_cancelled};

impl<'a, 's: 'a> Driver<'a, 's> {
    pub(super) async fn call_model(&mut self, round: u32, purpose: Purpose) -> Recorded<bool> {
        if let Some(first) = self.before_model_call(round, purpose).await {
            // The future is boxed, since usually there is no such record.
            Box::pin(self.record_one(*first)).await?;
            return Ok(true);
        }
        if purpose == Purpose::Reply {
            self.expose_tools(round).await?;
        }
        let mut started = Record::ModelStarted { round, purpose };
        self.record_all(from_mut(&mut started)).await?;
        self.begin_model_call(round, purpose);
        Ok(true)
    }

    /// Returns the record that comes before the call of the model, which may be delayed or skipped then.
    async fn before_model_call(&mut self, round: u32, purpose: Purpose) -> Option<Box<Record>> {
        if let Some(elapsed) = self.clock.take_elapsed(self.turn) {
            return Some(Box::new(elapsed));
        }
        if purpose != Purpose::Reply {
            return None;
        }
        let begins = self.turn.round() == 0;
        let noted = self.take_notes_with_posted(begins).await;
        if let Some(noted) = noted.or_else(|| self.todo_reminder(round)) {
            return Some(noted);
        }
        let purpose = if self.wants_compaction() {
            Purpose::Compact
        } else {
            self.update_visible_tools();
            self.wants_suggestion(round)
                .then_some(Purpose::SuggestTools)?
        };
        Some(Box::new(Record::Wanted { purpose }))
    }

    fn begin_model_call(&mut self, round: u32, purpose: Purpose) {
        let request = self.build_request(purpose);
        // Only hooks need the site.
        let site = (!self.agent.hooks.is_empty()).then(|| {
            Box::new(ModelSite {
                session: self.context.session_id().clone(),
                origin: self.origin().clone(),
                round,
                purpose,
            })
        });
        let (agent, stop) = (self.agent, self.stop_model);
        let watched = ReplyObserver {
            events: self.events,
            first_token: FirstTokenTimer::default(),
        };
        let model = &**agent.model_for(purpose);
        let span = spans::chat(agent, model.name(), &request);
        self.in_flight.push(Box::pin(async move {
            // The future is pinned here: each function that takes it would contain a further copy.
            let replying = pin!(async {
                match &site {
                    None => stream_reply(model, &request, stop, &watched).await,
                    // The future is boxed, since most agents have no hooks.
                    Some(site) => {
                        Box::pin(call_with_hooks(agent, site, request, stop, &watched)).await
                    }
                }
            });
            let reply = catch_panics("the model or a hook", replying);
            let reply = reply.instrument(span.clone()).await;
            let reply = reply.unwrap_or_else(|panic| Err(ModelError::provider(panic)));
            let silence = watched.first_token.elapsed();
            spans::record_reply(&span, agent, model.name(), &reply, silence);
            DriverEvent::Replied(model_record(agent, round, purpose, reply), silence)
        }));
    }
}

async fn call_with_hooks<'a>(
    agent: &'a Agent,
    site: &'a ModelSite,
    request: Arc<ModelRequest>,
    stop: &'a StopToken,
    watched: &'a ReplyObserver<'a>,
) -> Result<Reply, ModelError> {
    let inside = InnerRun::default();
    let work = inside.clone();
    let model = Next::new(move |request: Arc<ModelRequest>| {
        let model = agent.model_for(site.purpose);
        let reply = async move { stream_reply(&**model, &request, stop, watched).await };
        Box::pin(work.run(reply))
    });
    let call = agent.hooks.wrap(model, move |hook, request, next| {
        hook.model_call(site, request, next)
    });
    let outside = match site.purpose {
        Purpose::Compact => agent.hooks.wrap(call, move |hook, request, next| {
            hook.compaction(site, request, next)
        }),
        _ => call,
    };
    let reply = run_until_cancelled(outside.run(request), stop.token(), &inside).await;
    reply.unwrap_or_else(|| Ok(Assembler::new().cancel()))
}

struct ReplyObserver<'a> {
    events: &'a EventEmitter,
    first_token: FirstTokenTimer,
}

/// The time before the first piece of a reply, in microseconds plus one; 0 before the first piece.
#[derive(Default)]
struct FirstTokenTimer(AtomicU64);

impl FirstTokenTimer {
    /// Ends the silence at the first piece of the reply. A retry starts it again.
    fn observe(&self, event: &ModelEvent, asked: Instant) {
        let lasts = self.0.load(Ordering::Relaxed) == 0;
        let length = match event {
            ModelEvent::Retry(_) => 0,
            ModelEvent::ReplyStarted(_) | ModelEvent::Usage(_) | ModelEvent::Stop { .. } => return,
            _ if lasts => u64::try_from(asked.elapsed().as_micros()).map_or(u64::MAX, |us| us + 1),
            _ => return,
        };
        self.0.store(length, Ordering::Relaxed);
    }

    fn elapsed(&self) -> Option<Duration> {
        let micros = self.0.load(Ordering::Relaxed).checked_sub(1)?;
        Some(Duration::from_micros(micros))
    }
}

/// Streams a reply and emits its pieces. A stopped reply ends as cancelled.
async fn stream_reply(
    model: &dyn Model,
    request: &ModelRequest,
    stop: &StopToken,
    watched: &ReplyObserver<'_>,
) -> Result<Reply, ModelError> {
    let asked = Instant::now();
    let mut assembler = Assembler::new();
    let mut stream = model.reply(request);
    let mut stopped = pin!(stop.cancelled());
    loop {
        if stop.is_cancelled() {
            return Ok(assembler.cancel());
        }
        let event = tokio::select! {
            biased;
            // The stream comes first, since polling it is cheapest when it is ready.
            event = stream.next() => event,
            () = &mut stopped => return Ok(assembler.cancel()),
        };
        let Some(event) = event else {
            return assembler.finish();
        };
        let event = event?;
        watched.first_token.observe(&event, asked);
        watched.events.emit_delta(&event);
        assembler.push(event)?;
    }
}

fn model_record(
    agent: &Agent,
    round: u32,
    purpose: Purpose,
    reply: Result<Reply, ModelError>,
) -> Record {
    match reply {
        Ok(reply) => Record::ModelDone {
            round,
            purpose,
            cost: agent.reply_cost(&reply),
            reply,
        },
        Err(error) => Record::ModelFailed {
            round,
            purpose,
            error: error.full_message(),
        },
    }
}
