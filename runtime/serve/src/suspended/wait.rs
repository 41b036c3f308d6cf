//! The task that holds one suspended call.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::oneshot;

use super::{Handover, SuspendedCall};
use crate::call::{Call, Step};
use crate::client::ClientChannel;
use crate::session::Session;

/// Holds a call until a request resumes it, or until the timeout, which cancels the call.
///
/// The call is polled meanwhile, because a part of it may not need the input.
pub(super) async fn wait_for_resumption(
    mut suspended: SuspendedCall,
    mut resumed: oneshot::Receiver<Handover>,
    timeout: Duration,
) {
    let holder = LockHolderCount::new(&suspended.session, &suspended.call);
    let mut timeout = std::pin::pin!(tokio::time::sleep(timeout));
    let channel = ClientChannel::disconnected();
    loop {
        tokio::select! {
            biased;
            handover = &mut resumed => {
                drop(holder);
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

/// Counts a suspended call that holds the execution lock of its session.
struct LockHolderCount(Option<Arc<Session>>);

impl LockHolderCount {
    fn new(session: &Arc<Session>, call: &Call) -> Self {
        let holds_lock = call.is_executing.load(Ordering::Relaxed);
        Self(holds_lock.then(|| {
            session.suspended_holders.fetch_add(1, Ordering::Relaxed);
            session.clone()
        }))
    }
}

impl Drop for LockHolderCount {
    fn drop(&mut self) {
        if let Some(session) = &self.0 {
            session.suspended_holders.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
