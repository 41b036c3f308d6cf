//! Driving a call until its request can be answered.

use std::future;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ErrorData, InputResponses};
use rmcp::service::{RequestContext, RoleServer};

use super::{Answered, Call, Step, cancelled, parked};
use crate::serve::Server;
use crate::serve::client::{Ask, Line};
use crate::serve::session::Session;

/// How a request is answered.
pub(in crate::serve) struct Way {
    /// How long its call goes on before it becomes a task; `None` where it becomes none.
    pub(in crate::serve) delay: Option<Duration>,
    pub(in crate::serve) context: RequestContext<RoleServer>,
}

/// Waits until a call that began just now has gone on for long, and never ends where it may.
pub(in crate::serve) async fn long(delay: Option<Duration>) {
    match delay {
        Some(delay) => tokio::time::sleep(delay).await,
        None => future::pending().await,
    }
}

/// Drives a call until its request can be answered: with the result, with what has to be known first, or with a task.
///
/// A client may have answered ahead what it knew that it would be asked, by the keys that tools give their questions.
pub(in crate::serve) async fn drive(
    server: &Server,
    session: &Arc<Session>,
    mut call: Call,
    mut ahead: InputResponses,
    way: Way,
) -> Result<Answered, ErrorData> {
    let tasks = &server.inner.tasks;
    let place = || tasks.place(&session.house.principal);
    if way.delay.is_some_and(|delay| delay.is_zero())
        && let Some(place) = place()
    {
        return Ok(Answered::Task(place.begin(call)));
    }
    let client_gave_up = way.context.ct.clone();
    let line = Line::of(way.context, server.inner.settings.limits.answer);
    let mut delay = way.delay;
    let mut long = Box::pin(long(delay));
    loop {
        let step = tokio::select! {
            biased;
            step = call.step(&line) => step,
            () = client_gave_up.cancelled() => return Err(cancelled()),
            () = &mut long, if delay.is_some() => match place() {
                Some(place) => return Ok(Answered::Task(place.begin(call))),
                None => {
                    delay = None;
                    continue;
                }
            },
        };
        match step {
            Step::Done(reply) => return Ok(Answered::Reply(reply)),
            Step::Asked(asks) => {
                let open = still_open(asks, &mut ahead);
                if !open.is_empty() {
                    return parked::park(server, session, call, open).map(Answered::Asked);
                }
            }
        }
    }
}

/// Answers what was answered ahead, and returns the other questions.
fn still_open(asks: Vec<Ask>, ahead: &mut InputResponses) -> Vec<Ask> {
    let mut open = Vec::new();
    for ask in asks {
        let answer = ask.key().and_then(|key| ahead.remove(key));
        match answer.filter(serde_json::Value::is_object) {
            Some(answer) => ask.answer_with(answer),
            None => open.push(ask),
        }
    }
    open
}
