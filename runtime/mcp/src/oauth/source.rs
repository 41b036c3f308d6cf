//! The tokens of one server: stored, renewed ahead of time, and requested again if the server rejects them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _};
use rmcp::transport::auth::WWWAuthenticateParams;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::browser::{Start, log_in};
use super::error::{OAuthError, one_line};
use super::logins::LoginsState;
use super::record::{LoginRecord, Token};
use super::target::Target;
use super::{TokenSource, grant};
use crate::ServerName;

/// The number of logins that a server may require, and the time within which they are counted.
const MOST_LOGINS: usize = 3;
const WITHIN: Duration = Duration::from_secs(600);

/// A token that is rejected this soon after it was issued is not requested again in the same way.
const SOON: Duration = Duration::from_secs(60);

pub(super) struct ServerTokens {
    server: ServerName,
    target: Target,
    shared: Arc<LoginsState>,
    state: Mutex<State>,
    /// The number of tokens so far, by which a task that waited for the lock detects a new token.
    got: AtomicU64,
}

#[derive(Default)]
struct State {
    token: Option<Token>,
    /// The time of the last renewal without the user.
    renewed: Option<Instant>,
    /// The times of the logins on demand.
    logins: VecDeque<Instant>,
    /// The scopes that the logins have requested.
    asked: Vec<String>,
}

impl ServerTokens {
    pub(super) fn new(server: ServerName, target: Target, shared: Arc<LoginsState>) -> Self {
        Self {
            server,
            target,
            shared,
            state: Mutex::default(),
            got: AtomicU64::new(0),
        }
    }

    async fn current(&self) -> Result<Option<String>, OAuthError> {
        let mut state = self.state.lock().await;
        if let Some(token) = state.token.as_ref().filter(|token| token.is_fresh()) {
            return Ok(Some(token.secret.clone()));
        }
        state.token = None;
        let Some(record) = self.shared.store.load(&self.target).await? else {
            return Ok(None);
        };
        let Some(token) = record.token() else {
            return Ok(None);
        };
        if token.is_fresh() {
            state.token = Some(token.clone());
            return Ok(Some(token.secret));
        }
        self.target.check_protected()?;
        match self.renew(&mut state, &token).await {
            Ok(true) => Ok(state.token.as_ref().map(|token| token.secret.clone())),
            // The token is valid for some more time, and the next request tries again.
            _ if token.is_alive() => Ok(Some(token.secret)),
            Ok(false) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn refused(&self, challenge: &str) -> Result<bool, OAuthError> {
        let before = self.got.load(Ordering::Acquire);
        let mut state = self.state.lock().await;
        if self.got.load(Ordering::Acquire) != before {
            return Ok(true);
        }
        self.target.check_protected()?;
        let params = WWWAuthenticateParams::parse(challenge, &self.target.url);
        if params.is_insufficient_scope() {
            let scopes = params.scope.unwrap_or_default();
            return self.ask_for_more(&mut state, challenge, &scopes).await;
        }
        let was_renewed = state.renewed.is_some_and(|when| when.elapsed() < SOON);
        let token = state.token.take();
        let renewed = match &token {
            Some(token) if !was_renewed => self.renew(&mut state, token).await?,
            _ => false,
        };
        if renewed {
            return Ok(true);
        }
        let record = self.shared.store.load(&self.target).await?;
        if self.target.is_by_itself() {
            if was_renewed && token.is_some() {
                let server = self.target.name.clone();
                return Err(OAuthError::Rejected { server });
            }
            let given = grant::by_itself(&self.target, Some(challenge), record.as_ref()).await?;
            state.renewed = Some(Instant::now());
            self.keep(&mut state, given).await?;
            return Ok(true);
        }
        let start = Start {
            challenge: Some(challenge),
            before: record.as_ref(),
            more: Vec::new(),
        };
        self.log_in(&mut state, start).await
    }

    /// Replaces a token without the user; another process may have renewed the token already.
    async fn renew(&self, state: &mut State, old: &Token) -> Result<bool, OAuthError> {
        let _guard = self.shared.store.guard(&self.target).await?;
        let Some(record) = self.shared.store.load(&self.target).await? else {
            return Ok(false);
        };
        if let Some(token) = record.token().filter(|token| token.secret != old.secret)
            && token.is_fresh()
        {
            state.token = Some(token);
            self.got.fetch_add(1, Ordering::Release);
            return Ok(true);
        }
        let given = if self.target.is_by_itself() {
            Some(grant::by_itself(&self.target, None, Some(&record)).await?)
        } else if record.has_refresh_token() {
            grant::renew(&self.target, &record).await?
        } else {
            None
        };
        let Some(given) = given else {
            return Ok(false);
        };
        state.renewed = Some(Instant::now());
        self.keep(state, given).await?;
        Ok(true)
    }

    /// Logs in to get scopes that the token does not have.
    async fn ask_for_more(
        &self,
        state: &mut State,
        challenge: &str,
        scopes: &str,
    ) -> Result<bool, OAuthError> {
        let more = scopes.split_whitespace().map(str::to_owned);
        let more = more.collect::<Vec<_>>();
        let record = self.shared.store.load(&self.target).await?;
        let asked = record.iter().flat_map(|record| &record.requested);
        let asked = asked.chain(&state.asked).collect::<Vec<_>>();
        // Scopes that were requested and not granted are not requested again.
        if more.iter().all(|scope| asked.contains(&scope)) || self.target.is_by_itself() {
            return Err(OAuthError::Scope {
                server: self.target.name.clone(),
                scopes: one_line(scopes, 200),
            });
        }
        let start = Start {
            challenge: Some(challenge),
            before: record.as_ref(),
            more,
        };
        self.log_in(state, start).await
    }

    async fn log_in(&self, state: &mut State, start: Start<'_>) -> Result<bool, OAuthError> {
        let server = self.target.name.clone();
        let Some(show) = self.shared.show.as_ref().filter(|_| self.target.auth.login) else {
            return Err(OAuthError::LoginRequired { server });
        };
        while state
            .logins
            .front()
            .is_some_and(|when| when.elapsed() > WITHIN)
        {
            state.logins.pop_front();
        }
        if state.logins.len() >= MOST_LOGINS {
            return Err(OAuthError::TooManyLogins {
                server,
                logins: MOST_LOGINS,
                within: WITHIN,
            });
        }
        state.logins.push_back(Instant::now());
        let program = &self.shared.program;
        let record = log_in(&self.target, &self.server, program, show, start).await?;
        state.asked.clone_from(&record.requested);
        state.renewed = None;
        self.keep(state, record).await?;
        Ok(true)
    }

    async fn keep(&self, state: &mut State, record: LoginRecord) -> Result<(), OAuthError> {
        state.token = record.token();
        self.got.fetch_add(1, Ordering::Release);
        self.shared.store.save(&self.target, record).await
    }
}

impl TokenSource for ServerTokens {
    fn token(&self) -> BoxFuture<'_, Result<Option<String>, OAuthError>> {
        self.current().boxed()
    }

    fn challenged<'a>(
        &'a self,
        www_authenticate: &'a str,
    ) -> BoxFuture<'a, Result<bool, OAuthError>> {
        self.refused(www_authenticate).boxed()
    }
}
