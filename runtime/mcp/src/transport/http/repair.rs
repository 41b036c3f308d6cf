//! Reports responses that are not JSON or break off to the requests that wait for them.

use std::sync::Arc;

use futures_util::StreamExt as _;
use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use serde::de::IgnoredAny;

use crate::sanitize::one_line;
use crate::transport::lines::MAX_MESSAGE_BYTES;
use crate::transport::{Failure, Fault};

/// Replaces events that are not JSON by an error response to `request`, and records the reason if the stream breaks off.
pub(super) fn replace_malformed(
    events: BoxedSseResponse,
    request: RequestId,
    fault: Arc<Fault>,
) -> BoxedSseResponse {
    events
        .map(move |event| {
            let mut event = event.inspect_err(|error| fault.note(broken(error)))?;
            let is_message = matches!(event.event.as_deref(), None | Some("" | "message"));
            if is_message
                && let Some(data) = &event.data
                && data.trim_start().starts_with('{')
                && serde_json::from_str::<IgnoredAny>(data).is_err()
            {
                let message = format!("the answer is no JSON: {}", one_line(data, 100));
                let error = ErrorData::internal_error(message, None);
                let error = ServerJsonRpcMessage::error(error, Some(request.clone()));
                event.data = serde_json::to_string(&error).ok();
            }
            Ok(event)
        })
        .boxed()
}

/// Returns the reason for which an event stream broke off.
pub(in crate::transport) fn broken(error: &(dyn std::error::Error + 'static)) -> String {
    // rmcp has no error variant for this, only this message.
    if error.to_string().contains("exceeded the maximum size") {
        let most = MAX_MESSAGE_BYTES >> 20;
        return format!("it sent a message of more than {most} MiB");
    }
    let failure = Failure::from_source(error);
    format!("its answer broke off: {}", failure.reason())
}
