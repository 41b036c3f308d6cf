//! One attempt to connect: the transport, the handshake, and the legacy handshake as a fallback.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ProtocolVersion, ServerPeerInfo};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, RunningService, serve_client_with_lifecycle,
};
use rmcp::transport::Transport as Wire;
use tokio::sync::Notify;

use super::answers::ServerRequestHandler;
use super::calls::Calls;
use super::handler::Handler;
use super::{ConnectError, ConnectionDeps};
use crate::sanitize::one_line;
use crate::transport::{
    Failure, Fallback, Fault, SseError, WatchedTransport, open_http, open_pipe, open_sse,
    open_stdio,
};
use crate::{HandshakeTokens, ServerConfig, ServerName, Transport};

/// How long a server may take to answer the discovery of its protocol versions, before the legacy handshake is tried.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(8);

/// The number of challenges before the last attempt: one for a first token, and one for a token with more scopes.
const MAX_CHALLENGES: usize = 2;

pub(super) struct EstablishedConnection {
    pub(super) running: RunningService<RoleClient, Handler>,
    pub(super) info: Arc<ServerPeerInfo>,
    pub(super) answers: ServerRequestHandler,
    pub(super) changed: Arc<Notify>,
    pub(super) fault: Arc<Fault>,
    /// Whether the server needs the legacy handshake.
    pub(super) is_legacy: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub(super) config: &'a ServerConfig,
    pub(super) deps: &'a ConnectionDeps,
}

/// The error of an attempt, and whether another handshake may succeed.
struct AttemptError {
    error: ConnectError,
    may_be_legacy: bool,
    /// Whether the server supports discovery, and has only answered too late.
    is_late: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handshake {
    /// Discovery, with the legacy handshake as a fallback if the server does not answer in time.
    Auto,
    /// The legacy handshake (`initialize`) only.
    Legacy,
    /// Discovery only, with the whole time limit of the connection.
    Modern,
}

impl From<ConnectError> for AttemptError {
    fn from(error: ConnectError) -> Self {
        Self {
            error,
            may_be_legacy: false,
            is_late: false,
        }
    }
}

impl Attempt<'_> {
    /// Connects, and tries again with another token if the server refuses the first.
    pub(super) async fn connect(
        &self,
        is_legacy: bool,
    ) -> Result<EstablishedConnection, ConnectError> {
        let Some(tokens) = &self.deps.tokens else {
            return self.connect_in_time(is_legacy).await;
        };
        let mut left = MAX_CHALLENGES;
        loop {
            let handshake = Arc::new(HandshakeTokens::new(Arc::clone(tokens)));
            let mut deps = self.deps.clone();
            deps.tokens = Some(handshake.clone());
            let attempt = Attempt {
                deps: &deps,
                ..*self
            };
            let error = match attempt.connect_in_time(is_legacy).await {
                Ok(established) => {
                    handshake.complete();
                    return Ok(established);
                }
                Err(error) if left == 0 => return Err(error),
                Err(error) => error,
            };
            left -= 1;
            match handshake.answer_challenge().await {
                Ok(true) => {}
                Ok(false) => return Err(error),
                Err(error) => {
                    let (server, reason) = (self.server(), error.reason());
                    return Err(ConnectError::Unauthorized { server, reason });
                }
            }
        }
    }

    /// Connects within the time limit of the server.
    async fn connect_in_time(
        &self,
        is_legacy: bool,
    ) -> Result<EstablishedConnection, ConnectError> {
        let waited = self.config.timeouts().connect;
        let fault = Arc::new(Fault::default());
        let connecting = self.with_any_handshake(is_legacy, &fault);
        let Ok(connected) = tokio::time::timeout(waited, connecting).await else {
            let said = fault.last_words();
            let server = self.server();
            return Err(ConnectError::TimedOut {
                server,
                waited,
                said,
            });
        };
        connected
    }

    async fn with_any_handshake(
        &self,
        is_legacy: bool,
        fault: &Arc<Fault>,
    ) -> Result<EstablishedConnection, ConnectError> {
        // No server supports discovery over the legacy SSE transport.
        let is_legacy = is_legacy || matches!(self.config.transport(), Transport::Sse { .. });
        let handshake = if is_legacy {
            Handshake::Legacy
        } else {
            Handshake::Auto
        };
        let (first, handshake) = match self.open_transport(handshake, fault).await {
            Ok(established) => return Ok(established),
            Err(failed) if is_legacy => return Err(failed.error),
            Err(failed) if failed.is_late => (failed.error, Handshake::Modern),
            Err(failed) if failed.may_be_legacy => (failed.error, Handshake::Legacy),
            Err(failed) => return Err(failed.error),
        };
        tracing::debug!(error = %first, ?handshake, "another handshake is tried");
        let second = Arc::new(Fault::default());
        // The first error is reported: it is the one of the current protocol.
        let established = self.open_transport(handshake, &second).await;
        established.map_err(|_| first)
    }

    async fn open_transport(
        &self,
        handshake: Handshake,
        fault: &Arc<Fault>,
    ) -> Result<EstablishedConnection, AttemptError> {
        let tokens = self.deps.tokens.clone();
        if let Some(dial) = &self.deps.dial {
            let stream = dial().map_err(|error| self.unreachable(error.to_string()))?;
            let pipe = open_pipe(stream, fault);
            return self
                .shake_hands(pipe, Fallback::InPlace, handshake, fault)
                .await;
        }
        match self.config.transport() {
            Transport::Stdio(server) => {
                let sandbox = self.deps.sandbox.as_ref();
                let opened = open_stdio(server, sandbox, fault).await;
                let pipe = opened.map_err(|reason| {
                    let server = self.server();
                    ConnectError::NotStarted { server, reason }
                })?;
                self.shake_hands(pipe, Fallback::InPlace, handshake, fault)
                    .await
            }
            Transport::Http { url, headers } => {
                let opened = open_http(url, headers, tokens, fault).await;
                let http = opened.map_err(|what| self.misconfigured(what))?;
                self.shake_hands(http, Fallback::Anew, handshake, fault)
                    .await
            }
            Transport::Sse { url, headers } => {
                let opened = open_sse(url, headers, tokens, fault).await;
                let sse = opened.map_err(|unopened| match unopened {
                    SseError::Misconfigured(what) => self.misconfigured(what),
                    SseError::Failed(failure) => self.failed(failure),
                })?;
                self.shake_hands(sse, Fallback::Anew, Handshake::Legacy, fault)
                    .await
            }
        }
    }

    async fn shake_hands<T>(
        &self,
        transport: T,
        fallback: Fallback,
        handshake: Handshake,
        fault: &Arc<Fault>,
    ) -> Result<EstablishedConnection, AttemptError>
    where
        T: Wire<RoleClient> + 'static,
    {
        let calls = Calls::new(self.server());
        let changed = Arc::new(Notify::new());
        let answers = ServerRequestHandler {
            server: self.server(),
            trust: self.config.trust(),
        };
        let handler = Handler {
            client: self.deps.client.clone(),
            answers: answers.clone(),
            calls: Arc::clone(&calls),
            changed: Arc::clone(&changed),
        };
        let whole = self.config.timeouts().connect;
        let discovery_timeout = match handshake {
            Handshake::Modern => whole,
            Handshake::Auto | Handshake::Legacy => DISCOVERY_TIMEOUT.min(whole / 3),
        };
        let watched = WatchedTransport::new(transport, calls, discovery_timeout, fallback);
        let preferred_versions = vec![ProtocolVersion::LATEST];
        let lifecycle = match handshake {
            Handshake::Legacy => ClientLifecycleMode::Initialize,
            Handshake::Modern => ClientLifecycleMode::Discover { preferred_versions },
            Handshake::Auto => ClientLifecycleMode::Auto {
                preferred_versions,
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            },
        };
        let running = match serve_client_with_lifecycle(handler, watched, lifecycle).await {
            Ok(running) => running,
            Err(error) => return Err(self.explain(&error, fault).await),
        };
        let info = running.peer().peer_info();
        let Some(info) = info else {
            let reason = "it did not say what it is".to_owned();
            return Err(self.protocol(reason).into());
        };
        let version = &info.protocol_version;
        if !ProtocolVersion::KNOWN_VERSIONS.contains(version) {
            let version = one_line(version.as_str(), 40);
            let reason = format!(
                "it speaks the protocol `{version}`, and this program those from 2024-11-05 to 2026-07-28"
            );
            return Err(self.protocol(reason).into());
        }
        Ok(EstablishedConnection {
            running,
            info,
            answers,
            changed,
            fault: Arc::clone(fault),
            is_legacy: handshake == Handshake::Legacy,
        })
    }

    async fn explain(&self, error: &ClientInitializeError, fault: &Fault) -> AttemptError {
        let is_late = refuses_the_old(error);
        let (error, may_be_legacy) = match error {
            ClientInitializeError::ConnectionClosed(_) => {
                fault.settle().await;
                (self.ended(fault), true)
            }
            ClientInitializeError::TransportError { error, .. } => {
                let failure = Failure::from_source(error);
                let may_be_legacy = matches!(failure, Failure::Broken(_) | Failure::SessionLost(_));
                fault.settle().await;
                match failure {
                    // The exit of a program is more specific than the error of its pipe.
                    Failure::Broken(_)
                        if matches!(self.config.transport(), Transport::Stdio(_)) =>
                    {
                        (self.ended(fault), may_be_legacy)
                    }
                    failure => (self.failed(failure), may_be_legacy),
                }
            }
            ClientInitializeError::JsonRpcError(error) => {
                let (message, code) = (one_line(&error.message, 500), error.code.0);
                let reason = format!("it refused the handshake: {message} (code {code})");
                (self.protocol(reason), true)
            }
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
                let failed = Box::pin(self.explain(fallback, fault)).await;
                (failed.error, false)
            }
            ClientInitializeError::ExpectedInitResponse(_)
            | ClientInitializeError::ExpectedInitResult(_)
            | ClientInitializeError::ConflictInitResponseId(..)
            | ClientInitializeError::UncorrelatedErrorResponse { .. } => {
                let reason = "its answer to the handshake is the answer to something else";
                (self.protocol(reason.to_owned()), true)
            }
            ClientInitializeError::NoCompatibleProtocolVersion {
                server_supported, ..
            } => {
                let spoken = server_supported
                    .iter()
                    .map(|version| one_line(version.as_str(), 40));
                let spoken: Vec<String> = spoken.collect();
                let reason = format!("it speaks only the protocols {}", spoken.join(", "));
                (self.protocol(reason), true)
            }
            other => (self.protocol(one_line(&other.to_string(), 500)), false),
        };
        AttemptError {
            error,
            may_be_legacy,
            is_late,
        }
    }

    fn ended(&self, fault: &Fault) -> ConnectError {
        ConnectError::Ended {
            server: self.server(),
            was_ready: false,
            how: fault.how(),
        }
    }

    fn failed(&self, failure: Failure) -> ConnectError {
        match failure {
            Failure::Unauthorized(reason) => ConnectError::Unauthorized {
                server: self.server(),
                reason,
            },
            Failure::Unreachable(reason) => self.unreachable(reason),
            Failure::SessionLost(reason) | Failure::Broken(reason) => self.protocol(reason),
        }
    }

    fn unreachable(&self, reason: String) -> ConnectError {
        let server = self.server();
        let reason = match self.config.transport() {
            Transport::Http { url, .. } | Transport::Sse { url, .. } => {
                format!(
                    "no server answers at {} ({reason}): check that it runs there",
                    crate::transport::display_origin(url)
                )
            }
            Transport::Stdio(_) => reason,
        };
        ConnectError::Unreachable { server, reason }
    }

    fn misconfigured(&self, what: String) -> ConnectError {
        let server = self.server();
        ConnectError::Misconfigured { server, what }
    }

    fn protocol(&self, reason: String) -> ConnectError {
        let server = self.server();
        ConnectError::Protocol { server, reason }
    }

    fn server(&self) -> ServerName {
        self.config.name().clone()
    }
}

/// Reports whether a server of the modern protocol has refused the legacy handshake, which was tried because the
/// server was slow.
fn refuses_the_old(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => refuses_the_old(fallback),
        _ => false,
    }
}
