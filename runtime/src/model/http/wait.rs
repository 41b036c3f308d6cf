//! Waiting, but not for ever.

use std::time::Duration;

use futures_core::stream::BoxStream;
use futures_util::stream::{self, StreamExt as _};

use super::Endpoint;
use crate::model::ModelError;

/// Waits for a future as long as that.
pub(super) async fn within<T>(
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

/// Waits for each piece of a body as long as the endpoint says; ends with the first error.
pub(super) fn between<'a, B: Send + 'a>(
    endpoint: &'a Endpoint,
    bytes: BoxStream<'a, Result<B, ModelError>>,
) -> BoxStream<'a, Result<B, ModelError>> {
    let next = move |bytes: Option<BoxStream<'a, Result<B, ModelError>>>| async move {
        let mut bytes = bytes?;
        match within(endpoint, endpoint.idle_timeout, bytes.next()).await {
            Ok(Some(Ok(piece))) => Some((Ok(piece), Some(bytes))),
            Ok(None) => None,
            Ok(Some(Err(error))) | Err(error) => Some((Err(error), None)),
        }
    };
    stream::unfold(Some(bytes), next).boxed()
}
