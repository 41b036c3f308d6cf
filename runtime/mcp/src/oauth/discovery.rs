//! Discovers the authorization server of a server.

use std::future::Future;
use std::time::Duration;

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, InMemoryCredentialStore,
};
use tokio::time::timeout;
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;

use super::error::{Cause, OAuthError};
use super::record::LoginRecord;
use super::target::Target;

/// The time limit of one step with the authorization server, including all of its requests: the metadata of a server
/// may name any number of URLs.
const STEP: Duration = Duration::from_secs(60);

/// A server with its discovered authorization server.
pub(super) struct Discovered {
    pub(super) manager: AuthorizationManager,
    /// The store in which the authorization manager puts the credentials.
    pub(super) credentials: InMemoryCredentialStore,
    pub(super) metadata: AuthorizationMetadata,
    /// Whether the metadata was published; otherwise it consists of the defaults of 2025-03-26.
    pub(super) is_published: bool,
}

/// Discovers the authorization server of a server: from its challenge, if there is one, else from its metadata.
pub(super) async fn discover(
    target: &Target,
    challenge: Option<&str>,
    before: Option<&LoginRecord>,
) -> Result<Discovered, OAuthError> {
    target.check_protected()?;
    let discovery = |error: AuthError| target.discovery_error(&error);
    let url = target.url.clone();
    helve_core::network::install_tls_provider();
    // rmcp's default client rejects addresses of other networks than the server's, does not follow redirects to other
    // hosts, and limits the size and the time of a body.
    let manager = if target.auth.private_network {
        AuthorizationManager::new_allowing_private_addresses(url).await
    } else {
        AuthorizationManager::new(url).await
    };
    let mut manager = manager.map_err(discovery)?;
    let credentials = InMemoryCredentialStore::new();
    manager.set_credential_store(credentials.clone());
    let challenge = challenge.filter(|challenge| !challenge.trim().is_empty());
    let resolving = step(target, manager.resolve_metadata_from_challenge(challenge));
    let resolution = resolving.await?.map_err(discovery)?;
    let metadata = resolution.metadata;

    target.check_endpoint(&metadata.authorization_endpoint)?;
    target.check_endpoint(&metadata.token_endpoint)?;
    if let Some(registration) = &metadata.registration_endpoint {
        target.check_endpoint(registration)?;
    }
    if let Some(before) = before {
        check_issuer(target, &metadata, before)?;
    }
    manager.set_metadata(metadata.clone());
    Ok(Discovered {
        manager,
        credentials,
        metadata,
        is_published: resolution.source.is_discovered(),
    })
}

impl Discovered {
    /// Returns whether a login is from this authorization server.
    pub(super) fn gave(&self, record: &LoginRecord) -> bool {
        record.is_from(
            self.metadata.issuer.as_deref(),
            &self.metadata.token_endpoint,
        )
    }
}

/// Ensures that a configured secret is sent to one authorization server only: the server names its authorization
/// server, and a compromised server would name another one.
fn check_issuer(
    target: &Target,
    metadata: &AuthorizationMetadata,
    before: &LoginRecord,
) -> Result<(), OAuthError> {
    let issuer = metadata.issuer.as_deref();
    if target.auth.client_secret.is_none() || before.is_from(issuer, &metadata.token_endpoint) {
        return Ok(());
    }
    Err(OAuthError::OtherIssuer {
        server: target.name.clone(),
        before: before.giver().to_owned(),
        now: Cause::new(issuer.unwrap_or(&metadata.token_endpoint)).to_string(),
    })
}

/// Runs one step with the authorization server, with a time limit and without logging, because rmcp logs the code of
/// a login and the tokens.
pub(super) async fn step<T>(
    target: &Target,
    work: impl Future<Output = T>,
) -> Result<T, OAuthError> {
    let quiet = work.with_subscriber(NoSubscriber::default());
    timeout(STEP, quiet)
        .await
        .map_err(|_| OAuthError::TimedOut {
            server: target.name.clone(),
            after: STEP,
        })
}
