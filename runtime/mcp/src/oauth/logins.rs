//! The logins of a user to servers.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::browser::{LoginRequest, Show, Start, log_in};
use super::error::OAuthError;
use super::source::ServerTokens;
use super::store::Store;
use super::target::Target;
use super::{TokenSource, grant};
use crate::{ServerConfig, Transport};

/// The logins of a user to MCP servers: stores their tokens, and leads the user through a login.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use helve::mcp::{Logins, ServerConfig};
///
/// let server = ServerConfig::http("tickets".parse()?, "https://tickets.example.com/mcp");
/// let logins = Logins::in_folder("/home/me/.local/state/helve/logins");
/// let done = logins
///     .login(&server, |request| eprintln!("open {}", request.url))
///     .await?;
/// eprintln!("logged in at {}", done.issuer);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Logins(Arc<LoginsState>);

/// The result of a login.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoggedIn {
    /// The issuer: the authorization server.
    pub issuer: String,
    /// The scopes of the token, if they are known.
    pub scopes: Vec<String>,
    /// The lifetime of the token, if it is known.
    pub expires_in: Option<Duration>,
    /// Whether the token is renewed without another login.
    pub is_renewed: bool,
}

/// The state that the tokens of all servers share.
#[derive(Clone)]
pub(super) struct LoginsState {
    pub(super) store: Store,
    pub(super) program: String,
    pub(super) show: Option<Show>,
}

impl Logins {
    /// Stores logins in a folder, in one file per server that only the user can read. The folder is created on first
    /// use.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self::new(Store::Folder(folder.into().into()))
    }

    /// Stores logins in memory until the process ends.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::new(Store::Memory(Arc::default()))
    }

    fn new(store: Store) -> Self {
        Self(Arc::new(LoginsState {
            store,
            program: "helve".to_owned(),
            show: None,
        }))
    }

    /// Sets the name with which the program registers itself.
    #[must_use]
    pub fn registered_as(self, program: impl Into<String>) -> Self {
        let program = program.into();
        Self(Arc::new(LoginsState {
            program,
            ..LoginsState::clone(&self.0)
        }))
    }

    /// Enables logins on demand for servers whose configuration allows them
    /// ([`ServerAuth::login`](crate::ServerAuth::login)). `show` shows the login URL to the user, and must return at
    /// once. Without this, a login requires a call of [`login`](Self::login).
    #[must_use]
    pub fn shown_by(self, show: impl Fn(&LoginRequest) + Send + Sync + 'static) -> Self {
        Self(Arc::new(LoginsState {
            show: Some(Arc::new(show)),
            ..LoginsState::clone(&self.0)
        }))
    }

    /// Logs in to a server, and replaces the stored tokens. `show` shows the login URL to the user, and must return
    /// at once; the login ends when the browser is redirected to this machine. A client with an id and a secret, for
    /// which logins of the user are not configured, needs no user.
    ///
    /// # Errors
    /// Fails if the server is not reached over HTTP, if no authorization server is found, or if the login fails.
    pub async fn login(
        &self,
        server: &ServerConfig,
        show: impl Fn(&LoginRequest) + Send + Sync + 'static,
    ) -> Result<LoggedIn, OAuthError> {
        let target = Target::new(server)?;
        let before = self.0.store.load(&target).await?;
        let record = if target.is_by_itself() {
            grant::by_itself(&target, None, before.as_ref()).await?
        } else {
            let show: Show = Arc::new(show);
            let start = Start {
                before: before.as_ref(),
                ..Start::default()
            };
            log_in(&target, server.name(), &self.0.program, &show, start).await?
        };
        let done = LoggedIn {
            issuer: record.giver().to_owned(),
            scopes: record.credentials.granted_scopes.clone(),
            expires_in: record.token().and_then(|token| token.rest()),
            is_renewed: record.has_refresh_token() || target.is_by_itself(),
        };
        self.0.store.save(&target, record).await?;
        Ok(done)
    }

    /// Removes the login to a server, and returns whether there was one. The authorization server is not notified.
    ///
    /// # Errors
    /// Fails if the server is not reached over HTTP, or if the file cannot be removed.
    pub async fn logout(&self, server: &ServerConfig) -> Result<bool, OAuthError> {
        self.0.store.forget(&Target::new(server)?).await
    }

    /// Reports whether a login to a server is stored, which the server may no longer accept.
    ///
    /// # Errors
    /// Fails if the server is not reached over HTTP, or if the file cannot be read.
    pub async fn has_login(&self, server: &ServerConfig) -> Result<bool, OAuthError> {
        let record = self.0.store.load(&Target::new(server)?).await?;
        Ok(record.is_some_and(|record| record.token().is_some()))
    }

    /// Returns the token source of a server; `None` if the server needs no tokens, because it is not reached over
    /// HTTP or its configuration contains a header for authorization.
    pub(crate) fn tokens(&self, server: &ServerConfig) -> Option<Arc<dyn TokenSource>> {
        let target = Target::new(server).ok()?;
        let (Transport::Http { headers, .. } | Transport::Sse { headers, .. }) = server.transport()
        else {
            return None;
        };
        if headers
            .keys()
            .any(|name| name.eq_ignore_ascii_case("authorization"))
        {
            return None;
        }
        let shared = self.0.clone();
        Some(Arc::new(ServerTokens::new(
            server.name().clone(),
            target,
            shared,
        )))
    }
}

impl fmt::Debug for LoginsState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginsState")
            .field("store", &self.store)
            .field("program", &self.program)
            .field("show", &self.show.is_some())
            .finish()
    }
}
