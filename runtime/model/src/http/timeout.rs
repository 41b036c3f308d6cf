//! Waiting, but not for ever.

use std::time::Duration;

use futures_core::stream::BoxStream;
use futures_util::stream::{self, StreamExt as _};

use super::Endpoint;
use crate::ModelError;

/// Waits for a future as long as that.
pub(super) async fn with_timeout<T>(
    endpoint: &Endpoint,
    limit: Duration,
    future: impl Future<Output = T>,
) -> Result<T, ModelError> {
    tokio::time::timeout(limit, future)
        .await
        .map_err(|_| ModelError::TimedOut {
            provider: endpoint.provider().to_owned(),
            waited: limit,
        })
}

/// Waits for each item of a stream as long as that; ends with the first error.
pub(super) fn with_item_timeout<'a, T: Send + 'a>(
    endpoint: &'a Endpoint,
    limit: Duration,
    items: BoxStream<'a, Result<T, ModelError>>,
) -> BoxStream<'a, Result<T, ModelError>> {
    let next = move |items: Option<BoxStream<'a, Result<T, ModelError>>>| async move {
        let mut items = items?;
        match with_timeout(endpoint, limit, items.next()).await {
            Ok(Some(Ok(item))) => Some((Ok(item), Some(items))),
            Ok(None) => None,
            Ok(Some(Err(error))) | Err(error) => Some((Err(error), None)),
        }
    };
    stream::unfold(Some(items), next).boxed()
}
