//! The login of a user in a browser: the authorization code flow with PKCE.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::auth::CredentialStore as _;
use url::Url;

use super::callback::CallbackListener;
use super::client::{Client, configure, identify};
use super::discovery::{Discovered, discover, step};
use super::error::{Cause, OAuthError};
use super::record::LoginRecord;
use super::target::Target;
use crate::ServerName;

/// The time limit of a login by the user.
const PATIENCE: Duration = Duration::from_secs(300);

/// A request to the user to log in.
#[derive(Clone)]
#[non_exhaustive]
pub struct LoginRequest {
    /// The server that the login is for.
    pub server: ServerName,
    /// The URL to open in a browser, valid for this login only.
    pub url: String,
}

/// Shows the login URL to the user; must return at once.
pub(super) type Show = Arc<dyn Fn(&LoginRequest) + Send + Sync>;

/// The input of a login.
#[derive(Default)]
pub(super) struct Start<'a> {
    /// The challenge with which the server refused a request without a token.
    pub(super) challenge: Option<&'a str>,
    /// The record of the previous login.
    pub(super) before: Option<&'a LoginRecord>,
    /// Scopes to request in addition to those of the previous login; empty for a first login.
    pub(super) more: Vec<String>,
}

/// Leads a user through a login.
pub(super) async fn log_in(
    target: &Target,
    server: &ServerName,
    program: &str,
    show: &Show,
    start: Start<'_>,
) -> Result<LoginRecord, OAuthError> {
    let mut discovered = discover(target, start.challenge, start.before).await?;
    let before = start.before.filter(|_| !start.more.is_empty());
    let listener = listen(target, before).await?;
    let redirect_uri = listener.redirect_uri();
    let scopes = choose_scopes(target, &discovered, before, start.more).await;
    let wanted = scopes.iter().map(String::as_str).collect::<Vec<_>>();
    let client = identify(
        target,
        &mut discovered,
        program,
        &redirect_uri,
        &wanted,
        before,
    )
    .await?;
    configure(target, &mut discovered, &client, &redirect_uri)?;

    let preparing = step(target, discovered.manager.get_authorization_url(&wanted));
    let url = preparing
        .await?
        .map_err(|error| target.discovery_error(&error))?;
    let state = state_of(&url);
    show(&LoginRequest {
        server: server.clone(),
        url,
    });
    let answer = listener.answer(target, &state, PATIENCE).await?;
    let issuer = answer.issuer.as_deref();
    let exchanging =
        discovered
            .manager
            .exchange_code_for_token_with_issuer(&answer.code, &state, issuer);
    let exchanged = step(target, exchanging).await?;
    exchanged.map_err(|error| target.exchange_error(&error))?;
    keep(target, &discovered, client, redirect_uri, scopes).await
}

/// Listens on the configured port, else on the port of the previous login, because the program is registered with
/// that redirect URL, else on any port.
async fn listen(
    target: &Target,
    before: Option<&LoginRecord>,
) -> Result<CallbackListener, OAuthError> {
    if let Some(port) = target.auth.callback_port {
        return CallbackListener::bind(port).await;
    }
    let uri = before.and_then(|record| Url::parse(record.redirect_uri.as_deref()?).ok());
    match uri.and_then(|uri| uri.port()) {
        Some(port) => match CallbackListener::bind(port).await {
            Ok(listener) => Ok(listener),
            Err(_) => CallbackListener::bind(0).await,
        },
        None => CallbackListener::bind(0).await,
    }
}

/// Determines the requested scopes: the configured ones, else those of the server's challenge or of its metadata.
/// Later logins also request all earlier scopes, because a new token replaces the old one.
async fn choose_scopes(
    target: &Target,
    discovered: &Discovered,
    before: Option<&LoginRecord>,
    more: Vec<String>,
) -> Vec<String> {
    let mut scopes = target.auth.scopes.clone();
    if let Some(before) = before {
        scopes.extend(before.requested.iter().cloned());
        scopes.extend(before.credentials.granted_scopes.iter().cloned());
    }
    scopes.extend(more);
    if scopes.is_empty() {
        return discovered.manager.select_initial_scopes(&[]).await;
    }
    // Some authorization servers issue a refresh token only with this scope.
    let offline = "offline_access";
    let supported = discovered.metadata.scopes_supported.as_deref();
    if supported.is_some_and(|supported| supported.iter().any(|scope| scope == offline)) {
        scopes.push(offline.to_owned());
    }
    let mut unique = Vec::new();
    for scope in scopes {
        if !unique.contains(&scope) {
            unique.push(scope);
        }
    }
    unique
}

async fn keep(
    target: &Target,
    discovered: &Discovered,
    client: Client,
    redirect_uri: String,
    requested: Vec<String>,
) -> Result<LoginRecord, OAuthError> {
    let given = discovered.credentials.load().await.ok().flatten();
    let credentials = given.ok_or_else(|| OAuthError::Exchange {
        server: target.name.clone(),
        source: Cause::new("it was not given one"),
    })?;
    Ok(LoginRecord {
        server: target.url.as_str().to_owned(),
        client_id: client.id,
        client_secret: client.secret.filter(|_| client.is_registered),
        redirect_uri: Some(redirect_uri),
        issuer: discovered.metadata.issuer.clone(),
        token_endpoint: discovered.metadata.token_endpoint.clone(),
        requested,
        credentials,
    })
}

/// Returns the state that rmcp has added to the URL.
fn state_of(url: &str) -> String {
    let url = Url::parse(url).ok();
    url.and_then(|url| {
        // The last one, because the authorization server's own URL may contain a `state`, too.
        let state = url.query_pairs().filter(|(name, _)| name == "state").last();
        state.map(|(_, state)| state.into_owned())
    })
    .unwrap_or_default()
}

// Not derived, because with the URL another process could complete the login.
impl fmt::Debug for LoginRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginRequest")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
