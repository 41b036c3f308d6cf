//! Calls that wait for their client to come back with an answer, in the protocol without sessions.
//!
//! The future of such a call stays in this process and goes on where it was: what it has done is not done again. The
//! client holds a sealed name of it, which is good for one answer, from the same principal, to the same call.

mod keep;
mod state;

use std::collections::HashMap;
use std::sync::Arc;

use rmcp::model::{ErrorData, InputRequests, InputRequiredResult, InputResponses};
use tokio::sync::{mpsc, oneshot};

use super::Server;
use super::builder::Limits;
use super::call::{Call, Way, cancelled};
use super::client::{Ask, Line};
use super::reply::Answered;
use super::session::Session;
use crate::support::lock::Mutex;
use keep::{Kept, Return};
use state::{Seal, Ticket};

/// The calls that wait.
pub(super) struct Parking {
    limits: Limits,
    seal: Seal,
    calls: Mutex<Calls>,
}

#[derive(Default)]
struct Calls {
    /// The number of the next one.
    next: u64,
    waiting: HashMap<u64, Waiting>,
}

/// What is known of a waiting call from outside.
struct Waiting {
    /// How often it has asked; an answer to an earlier question comes too late.
    round: u64,
    back: mpsc::Sender<Return>,
}

impl Parking {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            seal: Seal::new(),
            calls: Mutex::default(),
        }
    }

    /// Takes the way to a call that waits for the answer of this round; nobody takes it twice.
    fn take(&self, ticket: Ticket) -> Option<mpsc::Sender<Return>> {
        let mut calls = self.calls.lock();
        let waiting = calls.waiting.get_mut(&ticket.call)?;
        (waiting.round == ticket.round).then(|| {
            waiting.round += 1;
            waiting.back.clone()
        })
    }

    fn forget(&self, call: u64) {
        self.calls.lock().waiting.remove(&call);
    }
}

/// Puts a call away until its questions are answered, and says what they are.
pub(super) fn park(
    server: &Server,
    session: &Arc<Session>,
    call: Call,
    asks: Vec<Ask>,
) -> Result<InputRequiredResult, ErrorData> {
    let parking = &server.inner.parked;
    let place = session.house.park().ok_or_else(|| {
        let why = "too many calls of yours wait for an answer; answer one, then try again";
        ErrorData::internal_error(why, None)
    })?;
    let (back, returns) = mpsc::channel(1);
    let number = {
        let mut calls = parking.calls.lock();
        let number = calls.next;
        calls.next += 1;
        calls.waiting.insert(number, Waiting { round: 0, back });
        number
    };
    let mut kept = Kept::new(server.clone(), session.clone(), call, number, place);
    let asked = kept.asked(asks);
    tokio::spawn(kept.keep(returns, parking.limits.answer));
    Ok(asked)
}

/// What a client comes back with.
pub(super) struct Back<'r> {
    pub(super) name: &'r str,
    pub(super) arguments: &'r str,
    /// The sealed name of the call.
    pub(super) state: &'r str,
    pub(super) answers: InputResponses,
}

/// Goes on with a call that the client has come back for.
pub(super) async fn go_on(
    server: &Server,
    session: &Arc<Session>,
    back: Back<'_>,
    way: Way,
) -> Result<Answered, ErrorData> {
    let Back {
        name,
        arguments,
        state,
        answers,
    } = back;
    let parking = &server.inner.parked;
    let principal = &session.house.principal;
    let ticket = parking.seal.open(state, principal, name, arguments);
    let back = ticket.and_then(|ticket| parking.take(ticket));
    let gone = || {
        let why = "no call waits for this answer: it was answered, has ended or took too long; call the tool again";
        ErrorData::invalid_params(why, None)
    };
    let back = back.ok_or_else(gone)?;
    let (respond, responded) = oneshot::channel();
    let returned = Return {
        answers,
        stop: way.context.ct.clone(),
        line: Line::of(way.context, parking.limits.answer),
        delay: way.delay,
        respond,
    };
    back.send(returned).await.map_err(|_| gone())?;
    responded.await.unwrap_or_else(|_| Err(cancelled()))
}

/// Says what has to be answered, and under which name the call waits for it.
fn input_required(asks: &[(String, Ask)], state: String) -> InputRequiredResult {
    let requests: InputRequests = asks
        .iter()
        .map(|(key, ask)| (key.clone(), ask.request.clone()))
        .collect();
    InputRequiredResult::new(Some(requests), Some(state))
}
