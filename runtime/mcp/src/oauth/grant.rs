//! Requests tokens without the user: with client credentials, and with refresh tokens.

use rmcp::transport::auth::{AuthError, ClientCredentialsConfig, CredentialStore as _};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use url::Url;

use super::client::{Client, configure};
use super::discovery::{Discovered, discover, step};
use super::error::{Cause, OAuthError};
use super::record::LoginRecord;
use super::target::Target;

/// Requests a token with client credentials.
pub(super) async fn by_itself(
    target: &Target,
    challenge: Option<&str>,
    before: Option<&LoginRecord>,
) -> Result<LoginRecord, OAuthError> {
    let mut discovered = discover(target, challenge, before).await?;
    let exchange = |error: AuthError| target.exchange_error(&error);
    let mut scopes = target.auth.scopes.clone();
    if scopes.is_empty() {
        scopes = discovered.manager.select_initial_scopes(&[]).await;
        // A refresh token is of no use, because the client can always request another token.
        scopes.retain(|scope| scope != "offline_access");
    }
    let resource = resource(target, &mut discovered).await?;
    let config = credentials(target, scopes.clone(), resource)?;
    let manager = &mut discovered.manager;
    manager
        .validate_client_credentials_metadata(&config)
        .and_then(|()| manager.configure_client_credentials(&config))
        .map_err(exchange)?;
    let discovered = ask(target, discovered, config).await?;
    let discovered = discovered.map_err(exchange)?;
    let given = discovered.credentials.load().await.ok().flatten();
    Ok(LoginRecord {
        server: target.url.as_str().to_owned(),
        client_id: target.auth.client_id.clone().unwrap_or_default(),
        client_secret: None,
        redirect_uri: None,
        issuer: discovered.metadata.issuer.clone(),
        token_endpoint: discovered.metadata.token_endpoint.clone(),
        requested: scopes,
        credentials: given.ok_or_else(|| exchange(AuthError::AuthorizationRequired))?,
    })
}

/// Renews a token with its refresh token; returns `None` if the authorization server rejects the refresh token.
pub(super) async fn renew(
    target: &Target,
    record: &LoginRecord,
) -> Result<Option<LoginRecord>, OAuthError> {
    let mut discovered = discover(target, None, Some(record)).await?;
    if !discovered.gave(record) {
        return Ok(None);
    }
    let renewal = |error: &AuthError| OAuthError::Renewal {
        server: target.name.clone(),
        source: Cause::from_source(error),
    };
    let kept = record.client_secret.as_ref();
    let client = Client {
        id: record.client_id.clone(),
        secret: kept.or(target.auth.client_secret.as_ref()).cloned(),
        is_registered: kept.is_some(),
    };
    let redirect_uri = record.redirect_uri.as_deref();
    configure(
        target,
        &mut discovered,
        &client,
        redirect_uri.unwrap_or(target.url.as_str()),
    )?;
    let store = &discovered.credentials;
    let saved = store.save(record.credentials.clone()).await;
    saved.map_err(|error| renewal(&error))?;
    match step(target, discovered.manager.refresh_token()).await? {
        Ok(_) => {}
        Err(AuthError::TokenRefreshRejected(_) | AuthError::AuthorizationRequired) => {
            return Ok(None);
        }
        Err(error) => return Err(renewal(&error)),
    }
    let given = store.load().await.map_err(|error| renewal(&error))?;
    Ok(given.map(|credentials| LoginRecord {
        credentials,
        ..record.clone()
    }))
}

/// Requests a token. rmcp's future is not `Send`, so that it runs on a thread of its own.
async fn ask(
    target: &Target,
    discovered: Discovered,
    config: ClientCredentialsConfig,
) -> Result<Result<Discovered, AuthError>, OAuthError> {
    let handle = Handle::current();
    let own = target.clone();
    let asking = spawn_blocking(move || {
        handle.block_on(async {
            let exchanging = discovered.manager.exchange_client_credentials(&config);
            let exchanged = step(&own, exchanging).await?;
            Ok(exchanged.map(|_| discovered))
        })
    });
    asking
        .await
        .map_err(|error| target.exchange_error(&error))?
}

fn credentials(
    target: &Target,
    scopes: Vec<String>,
    resource: String,
) -> Result<ClientCredentialsConfig, OAuthError> {
    let client_id = target.auth.client_id.clone().unwrap_or_default();
    let secret = target.auth.client_secret.clone().unwrap_or_default();
    if !is_key(&secret) {
        return Ok(ClientCredentialsConfig::ClientSecret {
            client_id,
            client_secret: secret,
            scopes,
            resource: Some(resource),
        });
    }
    #[cfg(feature = "jwt")]
    let credentials = Ok(ClientCredentialsConfig::PrivateKeyJwt {
        client_id,
        signing_algorithm: super::key::algorithm(target, &secret)?,
        signing_key: secret.into_bytes(),
        token_endpoint_audience: None,
        scopes,
        resource: Some(resource),
    });
    #[cfg(not(feature = "jwt"))]
    let credentials = Err(OAuthError::KeyUnsupported {
        server: target.name.clone(),
    });
    credentials
}

fn is_key(secret: &str) -> bool {
    secret.trim_start().starts_with("-----BEGIN")
}

/// Returns the resource of the token, as the server's metadata names it. rmcp only exposes the resource in a login
/// URL; the URL is created and discarded.
async fn resource(target: &Target, discovered: &mut Discovered) -> Result<String, OAuthError> {
    let client = Client {
        id: target.auth.client_id.clone().unwrap_or_default(),
        secret: None,
        is_registered: false,
    };
    configure(target, discovered, &client, target.url.as_str())?;
    let login = step(target, discovered.manager.get_authorization_url(&[])).await?;
    let named = login.ok().and_then(|login| {
        let login = Url::parse(&login).ok()?;
        let resources = login.query_pairs().filter(|(name, _)| name == "resource");
        resources.last().map(|(_, value)| value.into_owned())
    });
    Ok(named
        .filter(|resource| !resource.is_empty())
        .unwrap_or_else(|| target.url.as_str().to_owned()))
}
