//! The task that holds one suspended call.

use std::time::Duration;

use tokio::sync::oneshot;

use super::{Handover, SuspendedCall};
use crate::call::Step;
use crate::client::ClientChannel;

/// Holds a call until a request resumes it, or until the timeout, which cancels the call.
///
/// The call is polled meanwhile, because a part of it may not need the input.
pub(super) async fn wait_for_resumption(
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
