//! Whether a provider can be reached.

use std::time::Duration;

use tokio::time::Instant;

use super::Providers;
use crate::{ModelError, http};

impl Providers {
    /// Finds out whether somebody answers where a provider is, whatever they answer, and how long that took. No key is
    /// sent.
    ///
    /// # Errors
    /// If there is no such provider, or nobody answers before the deadline.
    pub async fn probe(&self, name: &str, deadline: Duration) -> Result<Duration, ModelError> {
        let connection = self.connection(name)?;
        let began = Instant::now();
        http::probe(&connection.endpoint, deadline).await?;
        Ok(began.elapsed())
    }
}
