//! The sessions of one principal, for the protocols that have them. Nobody else can name one of them.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;

use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};
use tokio::time::Instant;

use super::settings::Bounds;
use crate::support::lock::Mutex;

/// Sessions in memory, bounded in number and in how long one may be idle.
pub(super) struct Sessions {
    local: LocalSessionManager,
    uses: Uses,
    most: usize,
    idle: Duration,
}

type Uses = Arc<Mutex<HashMap<SessionId, Use>>>;

/// How a session is used.
#[derive(Debug)]
struct Use {
    last: Instant,
    /// How many of its streams are open.
    streams: usize,
}

/// Says why there is no session.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionsError {
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
    #[error("all {0} sessions are at work: end one, or come again later")]
    Busy(usize),
}

impl Sessions {
    pub(super) fn new(bounds: &Bounds) -> Self {
        let mut local = LocalSessionManager::default();
        // It would end a session in which a call works for long without a word.
        local.session_config.keep_alive = None;
        Self {
            local,
            uses: Uses::default(),
            most: bounds.sessions,
            idle: bounds.session_idle,
        }
    }

    /// Reports whether there is a session of this id.
    pub(super) fn contains(&self, id: &str) -> bool {
        self.uses.lock().keys().any(|known| **known == *id)
    }

    /// Ends the sessions that nobody uses any more.
    pub(super) async fn end_idle(&self) {
        let now = Instant::now();
        let is_idle = |used: &Use| used.streams == 0 && now.duration_since(used.last) >= self.idle;
        let idle: Vec<SessionId> = {
            let uses = self.uses.lock();
            let idle = uses.iter().filter(|(_, used)| is_idle(used));
            idle.map(|(id, _)| id.clone()).collect()
        };
        for id in idle {
            tracing::debug!(session = &*id, "a session was idle for too long");
            let _ = self.close_session(&id).await;
        }
    }

    /// Ends the session that was idle for the longest time, where there is no room for another.
    async fn make_room(&self) -> Result<(), SessionsError> {
        let oldest = {
            let uses = self.uses.lock();
            if uses.len() < self.most {
                return Ok(());
            }
            let idle = uses.iter().filter(|(_, used)| used.streams == 0);
            let oldest = idle.min_by_key(|(_, used)| used.last);
            oldest.map(|(id, _)| id.clone())
        };
        let id = oldest.ok_or(SessionsError::Busy(self.most))?;
        tracing::debug!(session = &*id, "a session makes room for another");
        self.close_session(&id).await
    }

    fn touch(&self, id: &SessionId) {
        if let Some(used) = self.uses.lock().get_mut(id) {
            used.last = Instant::now();
        }
    }

    /// Counts a stream as open, until it is dropped.
    fn open<S>(&self, id: &SessionId, stream: S) -> Open<S> {
        if let Some(used) = self.uses.lock().get_mut(id) {
            used.last = Instant::now();
            used.streams += 1;
        }
        Open {
            stream: Box::pin(stream),
            id: id.clone(),
            uses: self.uses.clone(),
        }
    }
}

impl SessionManager for Sessions {
    type Error = SessionsError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionsError> {
        self.make_room().await?;
        let (id, transport) = self.local.create_session().await?;
        let used = Use {
            last: Instant::now(),
            streams: 0,
        };
        self.uses.lock().insert(id.clone(), used);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionsError> {
        Ok(self.local.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionsError> {
        self.touch(id);
        Ok(self.local.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionsError> {
        self.uses.lock().remove(id);
        Ok(self.local.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        let stream = self.local.create_stream(id, message).await?;
        Ok(self.open(id, stream))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionsError> {
        Ok(self.local.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        let stream = self.local.create_standalone_stream(id).await?;
        Ok(self.open(id, stream))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        let stream = self.local.resume(id, last_event_id).await?;
        Ok(self.open(id, stream))
    }
}

/// A stream of a session that is open.
struct Open<S> {
    stream: Pin<Box<S>>,
    id: SessionId,
    uses: Uses,
}

impl<S: Stream> Stream for Open<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<S::Item>> {
        self.stream.as_mut().poll_next(cx)
    }
}

impl<S> Drop for Open<S> {
    fn drop(&mut self) {
        if let Some(used) = self.uses.lock().get_mut(&self.id) {
            used.last = Instant::now();
            used.streams = used.streams.saturating_sub(1);
        }
    }
}
