//! Calling the model.

use std::pin::pin;
use std::slice::from_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::Instant;
use tracing::Instrument;

use super::telling::Teller;
use super::waiting::Happening;
use super::{Driver, Unrecorded, spans};
use crate::agent::hook::ModelSite;
use crate::agent::spec::Agent;
use crate::agent::turn::{Purpose, Record};
use crate::call::{Inside, Next, catching, until_stopped};
use crate::model::{Assembler, ModelError, ModelEvent, ModelRequest, Reply};
use crate::tool::LazyToken;

impl<'a, 's: 'a> Driver<'a, 's> {
    pub(super) async fn call_model(
        &mut self,
        round: u32,
        purpose: Purpose,
    ) -> Result<bool, Unrecorded> {
        if let Some(first) = self.before_model_call(round, purpose) {
            // In a box of its own: most of the time there is nothing.
            Box::pin(self.record_one(*first)).await?;
            return Ok(true);
        }
        if purpose == Purpose::Reply {
            self.offer_tools(round).await?;
        }
        let mut started = Record::ModelStarted { round, purpose };
        self.record_all(from_mut(&mut started)).await?;
        self.begin_model_call(round, purpose);
        Ok(true)
    }

    /// Returns what has to be recorded before the model is called; it may be called later, or not at all, then.
    fn before_model_call(&mut self, round: u32, purpose: Purpose) -> Option<Box<Record>> {
        if let Some(elapsed) = self.elapsed() {
            return Some(Box::new(elapsed));
        }
        if purpose != Purpose::Reply {
            return None;
        }
        let purpose = if self.wants_compaction() {
            Purpose::Compact
        } else {
            self.look_at_tools();
            self.wants_suggestion(round)
                .then_some(Purpose::SuggestTools)?
        };
        Some(Box::new(Record::Wanted { purpose }))
    }

    fn begin_model_call(&mut self, round: u32, purpose: Purpose) {
        let request = self.request_for(purpose);
        // Only hooks look at it.
        let site = (!self.agent.hooks.is_empty()).then(|| {
            Box::new(ModelSite {
                origin: self.origin().clone(),
                round,
                purpose,
            })
        });
        let (agent, stop) = (self.agent, self.stop_model);
        let watched = Watched {
            teller: self.teller,
            silence: Silence::default(),
        };
        let span = spans::chat(agent, &request);
        self.working.push(Box::pin(async move {
            let reply = catching("the model or a hook", async {
                match &site {
                    None => reply(agent, &request, stop, &watched).await,
                    // In a box of its own, since most agents have no hooks.
                    Some(site) => Box::pin(around(agent, site, request, stop, &watched)).await,
                }
            });
            let reply = reply.instrument(span.clone()).await;
            let reply = reply.unwrap_or_else(|panic| Err(ModelError::provider(panic)));
            let silence = watched.silence.length();
            spans::chat_done(&span, agent, &reply, silence);
            Happening::Replied(done(agent, round, purpose, reply), silence)
        }));
    }
}

/// Lays the agent's hooks around a model call.
async fn around<'a>(
    agent: &'a Agent,
    site: &'a ModelSite,
    request: Arc<ModelRequest>,
    stop: &'a LazyToken,
    watched: &'a Watched<'a>,
) -> Result<Reply, ModelError> {
    let inside = Inside::default();
    let work = inside.clone();
    let model = Next::new(move |request: Arc<ModelRequest>| {
        let reply = async move { reply(agent, &request, stop, watched).await };
        Box::pin(work.run(reply))
    });
    let call = agent.hooks.around(model, move |hook, request, next| {
        hook.model_call(site, request, next)
    });
    let outside = match site.purpose {
        Purpose::Compact => agent.hooks.around(call, move |hook, request, next| {
            hook.compaction(site, request, next)
        }),
        _ => call,
    };
    let reply = until_stopped(outside.run(request), stop.token(), &inside).await;
    reply.unwrap_or_else(|| Ok(Assembler::new().cancel()))
}

/// Who watches a reply.
struct Watched<'a> {
    teller: &'a Teller,
    silence: Silence,
}

/// How long the model said nothing before the first piece of its reply, in microseconds and one more; 0 while it lasts.
#[derive(Default)]
struct Silence(AtomicU64);

impl Silence {
    /// Ends with the first piece of the reply that stands: one that is asked for once more has said nothing.
    fn ends_with(&self, event: &ModelEvent, asked: Instant) {
        let lasts = self.0.load(Ordering::Relaxed) == 0;
        let length = match event {
            ModelEvent::Retry(_) => 0,
            ModelEvent::ReplyStarted(_) | ModelEvent::Usage(_) | ModelEvent::Stop { .. } => return,
            _ if lasts => u64::try_from(asked.elapsed().as_micros()).map_or(u64::MAX, |us| us + 1),
            _ => return,
        };
        self.0.store(length, Ordering::Relaxed);
    }

    fn length(&self) -> Option<Duration> {
        let micros = self.0.load(Ordering::Relaxed).checked_sub(1)?;
        Some(Duration::from_micros(micros))
    }
}

/// Streams a reply to its end, and tells it as it comes; what is stopped is a reply that was cut short.
async fn reply(
    agent: &Agent,
    request: &ModelRequest,
    stop: &LazyToken,
    watched: &Watched<'_>,
) -> Result<Reply, ModelError> {
    let asked = Instant::now();
    let mut assembler = Assembler::new();
    let mut stream = agent.model.reply(request);
    let mut stopped = pin!(stop.cancelled());
    loop {
        if stop.is_cancelled() {
            return Ok(assembler.cancel());
        }
        let event = tokio::select! {
            biased;
            // First, since it costs least where it is ready.
            event = stream.next() => event,
            () = &mut stopped => return Ok(assembler.cancel()),
        };
        let Some(event) = event else {
            return assembler.finish();
        };
        let event = event?;
        watched.silence.ends_with(&event, asked);
        watched.teller.tell_delta(&event);
        assembler.push(event)?;
    }
}

fn done(agent: &Agent, round: u32, purpose: Purpose, reply: Result<Reply, ModelError>) -> Record {
    match reply {
        Ok(reply) => Record::ModelDone {
            round,
            purpose,
            cost: agent.cost(&reply),
            reply,
        },
        Err(error) => Record::ModelFailed {
            round,
            purpose,
            error: error.in_words(),
        },
    }
}
