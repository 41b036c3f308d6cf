//! The sessions of one principal, for the protocols with sessions.

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

use super::settings::HttpLimits;
use helve_core::support::lock::Mutex;

/// Sessions in memory, limited in number and in idle time.
pub(super) struct Sessions {
    local: LocalSessionManager,
    usage: UsageMap,
    max_sessions: usize,
    idle_timeout: Duration,
}

type UsageMap = Arc<Mutex<HashMap<SessionId, SessionUsage>>>;

/// The usage of one session, by which idle sessions are found.
#[derive(Debug)]
struct SessionUsage {
    last_used: Instant,
    streams: usize,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum SessionsError {
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
    #[error("all {0} sessions are at work: end one, or come again later")]
    Busy(usize),
}

impl Sessions {
    pub(super) fn new(limits: &HttpLimits) -> Self {
        let mut local = LocalSessionManager::default();
        // A keep-alive timeout would end a session in which a call runs for long without a message.
        local.session_config.keep_alive = None;
        Self {
            local,
            usage: UsageMap::default(),
            max_sessions: limits.sessions,
            idle_timeout: limits.session_idle,
        }
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        self.usage.lock().keys().any(|known| **known == *id)
    }

    pub(super) async fn end_idle(&self) {
        let now = Instant::now();
        let is_idle = |usage: &SessionUsage| {
            usage.streams == 0 && now.duration_since(usage.last_used) >= self.idle_timeout
        };
        let idle: Vec<SessionId> = {
            let usage = self.usage.lock();
            let idle = usage.iter().filter(|(_, usage)| is_idle(usage));
            idle.map(|(id, _)| id.clone()).collect()
        };
        for id in idle {
            tracing::debug!(session = &*id, "a session was idle for too long");
            let _ = self.close_session(&id).await;
        }
    }

    /// Ends the session that was idle for the longest time, if the number of sessions is at its limit.
    async fn evict_oldest(&self) -> Result<(), SessionsError> {
        let oldest = {
            let usage = self.usage.lock();
            if usage.len() < self.max_sessions {
                return Ok(());
            }
            let idle = usage.iter().filter(|(_, usage)| usage.streams == 0);
            let oldest = idle.min_by_key(|(_, usage)| usage.last_used);
            oldest.map(|(id, _)| id.clone())
        };
        let id = oldest.ok_or(SessionsError::Busy(self.max_sessions))?;
        tracing::debug!(
            session = &*id,
            "an idle session is closed in favour of a new one"
        );
        self.close_session(&id).await
    }

    fn touch(&self, id: &SessionId) {
        if let Some(usage) = self.usage.lock().get_mut(id) {
            usage.last_used = Instant::now();
        }
    }

    /// Counts a stream as open until it is dropped.
    fn count_stream<S>(&self, id: &SessionId, stream: S) -> CountedStream<S> {
        if let Some(usage) = self.usage.lock().get_mut(id) {
            usage.last_used = Instant::now();
            usage.streams += 1;
        }
        CountedStream {
            stream: Box::pin(stream),
            id: id.clone(),
            usage: self.usage.clone(),
        }
    }
}

impl SessionManager for Sessions {
    type Error = SessionsError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionsError> {
        self.evict_oldest().await?;
        let (id, transport) = self.local.create_session().await?;
        let usage = SessionUsage {
            last_used: Instant::now(),
            streams: 0,
        };
        self.usage.lock().insert(id.clone(), usage);
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
        self.usage.lock().remove(id);
        Ok(self.local.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        let stream = self.local.create_stream(id, message).await?;
        Ok(self.count_stream(id, stream))
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
        Ok(self.count_stream(id, stream))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        let stream = self.local.resume(id, last_event_id).await?;
        Ok(self.count_stream(id, stream))
    }
}

/// A stream of a session, which is counted as open until it is dropped.
struct CountedStream<S> {
    stream: Pin<Box<S>>,
    id: SessionId,
    usage: UsageMap,
}

impl<S: Stream> Stream for CountedStream<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<S::Item>> {
        self.stream.as_mut().poll_next(cx)
    }
}

impl<S> Drop for CountedStream<S> {
    fn drop(&mut self) {
        if let Some(usage) = self.usage.lock().get_mut(&self.id) {
            usage.last_used = Instant::now();
            usage.streams = usage.streams.saturating_sub(1);
        }
    }
}
