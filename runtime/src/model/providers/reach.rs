//! Whether a provider can be reached.

use std::time::Duration;

use super::Providers;
use crate::model::ModelError;

impl Providers {
    /// Finds out whether somebody answers where a provider is, whatever they answer; no key is sent.
    ///
    /// # Errors
    /// If there is no such provider, nobody answers, or not in time.
    pub async fn reach(&self, name: &str, deadline: Duration) -> Result<Duration, ModelError> {
        let status = self.status(name)?;
        let Some(url) = status.base_url else {
            let what = format!("{name} has no address that is known beforehand");
            return Err(ModelError::NotConfigured { what });
        };
        let timed_out = || ModelError::TimedOut {
            provider: name.to_owned(),
            waited: deadline,
        };
        let broken = |error: reqwest::Error| ModelError::Network {
            provider: name.to_owned(),
            what: format!("{url} does not answer"),
            source: error.into(),
        };
        let began = tokio::time::Instant::now();
        let no_redirects = reqwest::redirect::Policy::none();
        let client = reqwest::Client::builder().redirect(no_redirects).build();
        let client = client.map_err(broken)?;
        let answer = tokio::time::timeout(deadline, client.head(&url).send()).await;
        match answer {
            Ok(Ok(_)) => Ok(began.elapsed()),
            Ok(Err(error)) if error.is_timeout() => Err(timed_out()),
            Ok(Err(error)) => Err(broken(error)),
            Err(_) => Err(timed_out()),
        }
    }
}
