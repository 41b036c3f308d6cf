//! Answers that are no JSON or break off: whoever waits for them is told.

use std::sync::Arc;

use futures_util::StreamExt as _;
use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use serde::de::IgnoredAny;

use crate::mcp::connection::words::tidy;
use crate::mcp::transport::{Failure, Fault, LONGEST_MESSAGE};

/// Replaces events that are no JSON by an error in answer to `request`, and notes why the stream broke where it does.
pub(super) fn mend(
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
                let told = format!("the answer is no JSON: {}", tidy(data, 100));
                let error = ErrorData::internal_error(told, None);
                let error = ServerJsonRpcMessage::error(error, Some(request.clone()));
                event.data = serde_json::to_string(&error).ok();
            }
            Ok(event)
        })
        .boxed()
}

/// Says why a stream of events broke.
pub(in crate::mcp::transport) fn broken(error: &(dyn std::error::Error + 'static)) -> String {
    // The library's own words, and all that it tells.
    if error.to_string().contains("exceeded the maximum size") {
        return format!(
            "it sent a message of more than {} MiB",
            LONGEST_MESSAGE >> 20
        );
    }
    format!("its answer broke off: {}", Failure::of(error).reason())
}
