//! Whether a provider can be reached.

use std::time::Duration;

use tokio::time::Instant;

use super::Providers;
use crate::{ModelError, http};

impl Providers {
    /// Checks whether a server answers at the address of a provider, whatever it answers, and how long that takes. No key is
    /// sent.
    ///
    /// # Errors
    /// If there is no such provider, or no server answers before the deadline.
    pub async fn probe(&self, name: &str, deadline: Duration) -> Result<Duration, ModelError> {
        let connection = self.connection(name)?;
        let began = Instant::now();
        http::probe(&connection.endpoint, deadline).await?;
        Ok(began.elapsed())
    }
}
