//! Whether anybody is there.

use std::time::Duration;

use super::wait::within;
use super::{Endpoint, wording};
use crate::model::ModelError;

/// Finds out whether somebody answers at an endpoint, whatever they answer. No header of the endpoint is sent, and so no
/// key is.
pub(crate) async fn reach(endpoint: &Endpoint, deadline: Duration) -> Result<(), ModelError> {
    let client = endpoint.prepared_client().await?;
    let head = client.head(endpoint.url(""));
    let answer = within(endpoint, deadline, head.send()).await?;
    answer.map_err(|error| wording::unreachable(endpoint, error))?;
    Ok(())
}
