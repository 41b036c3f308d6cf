//! The identity of the program for an authorization server.

use rmcp::transport::auth::{AuthError, OAuthClientConfig};
use serde_json::Value;

use super::discovery::{Discovered, step};
use super::error::{Cause, OAuthError};
use super::record::LoginRecord;
use super::store::is_document;
use super::target::Target;

/// The program as a client of an authorization server.
pub(super) struct Client {
    pub(super) id: String,
    pub(super) secret: Option<String>,
    /// Whether the secret is from a dynamic registration, so that it must be stored.
    pub(super) is_registered: bool,
}

/// Determines the client, in the order that MCP specifies: the configured client, its metadata document, the client
/// of the previous login, a new registration.
pub(super) async fn identify(
    target: &Target,
    discovered: &mut Discovered,
    name: &str,
    redirect_uri: &str,
    scopes: &[&str],
    before: Option<&LoginRecord>,
) -> Result<Client, OAuthError> {
    let configured = target.auth.client_id.as_deref();
    let takes_documents = discovered
        .metadata
        .additional_fields
        .get("client_id_metadata_document_supported")
        .and_then(Value::as_bool)
        .unwrap_or(false);
    if let Some(id) = configured.filter(|id| !is_document(id) || takes_documents) {
        return Ok(Client {
            id: id.to_owned(),
            secret: target.auth.client_secret.clone(),
            is_registered: false,
        });
    }
    let is_known = |record: &&LoginRecord| {
        discovered.gave(record) && record.redirect_uri.as_deref() == Some(redirect_uri)
    };
    if let Some(record) = before.filter(is_known) {
        return Ok(Client {
            id: record.client_id.clone(),
            secret: record.client_secret.clone(),
            is_registered: true,
        });
    }
    let registering = discovered
        .manager
        .register_client(name, redirect_uri, scopes);
    let registered = step(target, registering).await?;
    let registered = registered.map_err(|error| unregistered(target, discovered, &error))?;
    Ok(Client {
        id: registered.client_id,
        secret: registered.client_secret,
        is_registered: true,
    })
}

fn unregistered(target: &Target, discovered: &Discovered, error: &AuthError) -> OAuthError {
    let server = target.name.clone();
    match error {
        AuthError::RegistrationFailed(_) if discovered.is_published => OAuthError::Registration {
            server,
            source: Cause::from_source(error),
        },
        AuthError::RegistrationFailed(_) => OAuthError::Discovery {
            server,
            source: Cause::new("it does not publish where its authorization server is"),
        },
        _ => target.discovery_error(error),
    }
}

pub(super) fn configure(
    target: &Target,
    discovered: &mut Discovered,
    client: &Client,
    redirect_uri: &str,
) -> Result<(), OAuthError> {
    let mut config = OAuthClientConfig::new(&client.id, redirect_uri);
    if let Some(secret) = &client.secret {
        config = config.with_client_secret(secret);
    }
    let configured = discovered.manager.configure_client(config);
    configured.map_err(|error| target.discovery_error(&error))
}
