//! Calls that are suspended until the client sends their input, in the protocol without sessions (MCP's
//! `input_required` results and their `request_state`).
//!
//! The future of a suspended call stays in this process, so that the call resumes where it was and repeats nothing. The
//! client gets a sealed id of the call, which resumes it once, for the same principal and the same request.

mod state_codec;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ErrorData, InputRequiredResult, InputResponses};
use tokio::sync::oneshot;

use super::call::{Call, Step};
use super::client::{ClientChannel, OpenRequests};
use super::limits::{Limits, Permit};
use super::response::RequestResult;
use super::session::Session;
use helve_core::support::lock::Mutex;
use helve_core::tool::Principal;
use state_codec::StateCodec;

pub(super) struct SuspendedCalls {
    limits: Limits,
    codec: StateCodec,
    registry: Arc<Registry>,
}

pub(super) struct SuspendedCall {
    pub(super) call: Box<Call>,
    pub(super) session: Arc<Session>,
    pub(super) requests: OpenRequests,
    /// The result, if the call has ended while it was suspended.
    pub(super) result: Option<Box<RequestResult>>,
    pub(super) permit: Permit,
}

pub(super) struct Resumption<'r> {
    /// The name of the request, which the state is bound to.
    pub(super) name: &'r str,
    /// The arguments of the request, which the state is bound to.
    pub(super) arguments: &'r str,
    /// The sealed id of the call.
    pub(super) state: &'r str,
    pub(super) responses: InputResponses,
}

/// Sends a suspended call to the request that resumes it.
type Handover = oneshot::Sender<SuspendedCall>;

/// The handles of the tasks that hold the suspended calls.
#[derive(Default)]
struct Registry(Mutex<RegistryEntries>);

#[derive(Default)]
struct RegistryEntries {
    next_id: u64,
    waiting: HashMap<u64, oneshot::Sender<Handover>>,
}

impl Registry {
    fn insert(&self, waiting: oneshot::Sender<Handover>) -> u64 {
        let mut entries = self.0.lock();
        let id = entries.next_id;
        entries.next_id += 1;
        entries.waiting.insert(id, waiting);
        id
    }

    fn remove(&self, id: u64) -> Option<oneshot::Sender<Handover>> {
        self.0.lock().waiting.remove(&id)
    }
}

impl SuspendedCalls {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            codec: StateCodec::new(),
            registry: Arc::default(),
        }
    }

    /// Stores a call until it is resumed or the client takes too long, and returns its open requests for input.
    pub(super) fn suspend(&self, suspended: SuspendedCall) -> InputRequiredResult {
        let (sender, resumed) = oneshot::channel();
        let id = self.registry.insert(sender);
        let principal = &suspended.session.limits.principal;
        let state = self.codec.seal(id, principal, &suspended.call.tool_call);
        let required = InputRequiredResult::new(Some(suspended.requests.to_rmcp()), Some(state));
        let entry = RegistryEntry {
            registry: self.registry.clone(),
            id,
        };
        let timeout = self.limits.input_timeout;
        tokio::spawn(async move {
            let _entry = entry;
            wait_for_resumption(suspended, resumed, timeout).await;
        });
        required
    }

    /// Returns the call that a client resumes, and hands the responses to the call.
    ///
    /// # Errors
    ///
    /// Fails if no suspended call has this state: it was resumed before, its time is over, or the state is forged or
    /// belongs to another principal or request.
    pub(super) async fn resume(
        &self,
        principal: &Principal,
        resumption: Resumption<'_>,
    ) -> Result<SuspendedCall, ErrorData> {
        let id = self.codec.open(
            resumption.state,
            principal,
            resumption.name,
            resumption.arguments,
        );
        let waiting = id.and_then(|id| self.registry.remove(id));
        let waiting = waiting.ok_or_else(not_found)?;
        let (handover, call) = oneshot::channel();
        waiting.send(handover).map_err(|_| not_found())?;
        let mut suspended = call.await.map_err(|_| not_found())?;
        suspended.requests.resolve(resumption.responses);
        Ok(suspended)
    }
}

/// Removes the entry of a suspended call when it is dropped.
struct RegistryEntry {
    registry: Arc<Registry>,
    id: u64,
}

impl Drop for RegistryEntry {
    fn drop(&mut self) {
        self.registry.remove(self.id);
    }
}

/// Holds a call until a request resumes it, or until the timeout, which cancels the call.
///
/// The call is polled meanwhile, because a part of it may not need the input.
async fn wait_for_resumption(
    mut suspended: SuspendedCall,
    mut resumed: oneshot::Receiver<Handover>,
    timeout: Duration,
) {
    let mut timeout = std::pin::pin!(tokio::time::sleep(timeout));
    let channel = ClientChannel::disconnected();
    loop {
        tokio::select! {
            biased;
            handover = &mut resumed => {
                if let Ok(handover) = handover {
                    // The receiver is dropped if the client has cancelled the request, which cancels the call.
                    let _ = handover.send(suspended);
                }
                return;
            }
            () = &mut timeout => return,
            step = suspended.call.step(&channel), if suspended.result.is_none() => match step {
                Step::Finished(result) => suspended.result = Some(result),
                Step::InputRequired(requests) => suspended.requests.add(requests),
            },
        }
    }
}

fn not_found() -> ErrorData {
    let message = "no call waits for this answer: it was answered, has ended or took too long; call the tool again";
    ErrorData::invalid_params(message, None)
}
