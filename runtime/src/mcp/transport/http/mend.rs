//! Answers that are no JSON: whoever waits for them is told.

use futures_util::StreamExt as _;
use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use serde::de::IgnoredAny;

use crate::mcp::connection::words::tidy;

/// Replaces events that are no JSON by an error in answer to `request`.
pub(super) fn mend(events: BoxedSseResponse, request: RequestId) -> BoxedSseResponse {
    events
        .map(move |event| {
            let mut event = event?;
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
