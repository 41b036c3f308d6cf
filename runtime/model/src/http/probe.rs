//! Whether anybody is there.

use std::time::Duration;

use super::timeout::with_timeout;
use super::{Endpoint, network_error};
use crate::ModelError;

/// Checks whether a server answers at an endpoint, whatever it answers. No header of the endpoint is sent, and so no
/// key is.
pub(crate) async fn probe(endpoint: &Endpoint, deadline: Duration) -> Result<(), ModelError> {
    let client = endpoint.prepared_client().await?;
    let head = client.head(endpoint.url(""));
    let answer = with_timeout(endpoint, deadline, head.send()).await?;
    answer.map_err(|error| network_error::unreachable_error(endpoint, error))?;
    Ok(())
}
