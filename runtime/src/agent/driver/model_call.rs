//! Calling the model.

use std::sync::Arc;

use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;

use super::hooked::{Inside, until_stopped};
use super::panics::catching;
use super::telling::Teller;
use super::waiting::Happening;
use super::{Driver, Unrecorded};
use crate::agent::hook::{ModelSite, Next};
use crate::agent::spec::Agent;
use crate::agent::turn::{Purpose, Record};
use crate::model::{Assembler, ModelError, ModelRequest, Reply};
use crate::tool::chain_text;

impl<'a, 's: 'a> Driver<'a, 's> {
    pub(super) async fn call_model(
        &mut self,
        round: u32,
        purpose: Purpose,
    ) -> Result<bool, Unrecorded> {
        if let Some(elapsed) = self.elapsed() {
            // The time may be up with it, and then the model is not called.
            self.record(vec![elapsed]).await?;
            return Ok(true);
        }
        if purpose == Purpose::Reply && self.wants_compaction(round) {
            let purpose = Purpose::Compact;
            self.context_window.was_compacted(round);
            self.record(vec![Record::Wanted { purpose }]).await?;
            return Ok(true);
        }
        self.record(vec![Record::ModelStarted { round, purpose }])
            .await?;
        let request = self.request_for(purpose);
        let site = ModelSite {
            origin: self.origin().clone(),
            round,
            purpose,
        };
        let (agent, stop, teller) = (self.agent, self.stop_model.clone(), self.teller.clone());
        self.working.push(Box::pin(async move {
            let reply = catching("the model or a hook", async {
                match agent.hooks.is_empty() {
                    true => reply(agent, &request, &stop, &teller).await,
                    false => around(agent, &site, request, stop, teller).await,
                }
            });
            let reply = reply.await;
            let reply = reply.unwrap_or_else(|panic| Err(ModelError::provider(panic)));
            Happening::Recorded(vec![done(agent, round, purpose, reply)])
        }));
        Ok(true)
    }
}

/// Lays the agent's hooks around a model call.
async fn around<'a>(
    agent: &'a Agent,
    site: &'a ModelSite,
    request: Arc<ModelRequest>,
    stop: CancellationToken,
    teller: Teller,
) -> Result<Reply, ModelError> {
    let (inside, stopped) = (Inside::default(), stop.clone());
    let work = inside.clone();
    let model = Next::new(move |request: Arc<ModelRequest>| {
        let reply = async move { reply(agent, &request, &stop, &teller).await };
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
    let reply = until_stopped(outside.run(request), &stopped, &inside).await;
    reply.unwrap_or_else(|| Ok(Assembler::new().cancel()))
}

/// Streams a reply to its end, and tells it as it comes; what is stopped is a reply that was cut short.
async fn reply(
    agent: &Agent,
    request: &ModelRequest,
    stop: &CancellationToken,
    teller: &Teller,
) -> Result<Reply, ModelError> {
    let mut assembler = Assembler::new();
    let mut stream = agent.model.reply(request);
    loop {
        let event = tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(assembler.cancel()),
            event = stream.next() => event,
        };
        let Some(event) = event else {
            return assembler.finish();
        };
        let event = event?;
        teller.tell_delta(&event);
        assembler.push(event)?;
    }
}

fn done(agent: &Agent, round: u32, purpose: Purpose, reply: Result<Reply, ModelError>) -> Record {
    match reply {
        Ok(reply) => Record::ModelDone {
            round,
            purpose,
            cost: agent.cost(&reply.usage),
            reply,
        },
        Err(error) => Record::ModelFailed {
            round,
            purpose,
            error: chain_text(&error),
        },
    }
}
