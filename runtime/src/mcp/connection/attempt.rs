//! One attempt to connect: the transport, the handshake, and the old handshake where the new one does not do.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ProtocolVersion, ServerPeerInfo};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, RunningService, serve_client_with_lifecycle,
};
use rmcp::transport::Transport as Wire;
use tokio::sync::Notify;

use super::answers::Answers;
use super::calls::Calls;
use super::handler::Handler;
use super::words::tidy;
use super::{ConnectError, Surroundings};
use crate::mcp::transport::{
    Failure, Fallback, Fault, Unopened, Watched, open_http, open_pipe, open_sse, open_stdio,
};
use crate::mcp::{GreetingTokens, ServerConfig, ServerName, Transport};

/// How long a server may take to say which protocols it speaks, where it has all the time that it wants.
const PATIENCE: Duration = Duration::from_secs(8);

/// How many times a server may ask for another token before the last attempt: for one, and for one with more scopes.
const MOST_TOKENS: usize = 2;

/// A connection that was made.
pub(super) struct Established {
    pub(super) running: RunningService<RoleClient, Handler>,
    pub(super) info: Arc<ServerPeerInfo>,
    pub(super) answers: Answers,
    pub(super) calls: Arc<Calls>,
    pub(super) changed: Arc<Notify>,
    pub(super) fault: Arc<Fault>,
    /// Whether the server does not bear the question which protocols it speaks.
    pub(super) is_old: bool,
}

/// Makes connections to one server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub(super) config: &'a ServerConfig,
    pub(super) surroundings: &'a Surroundings,
}

/// Why an attempt failed, and whether another handshake may do better.
struct Failed {
    error: ConnectError,
    may_be_old: bool,
    /// Whether the server speaks the new protocol, and only took too long to say so.
    is_late: bool,
}

/// How a server is spoken to first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Greeting {
    /// It is asked which protocols it speaks; the old handshake follows where it does not say so soon.
    Either,
    /// The old handshake alone.
    Old,
    /// It is asked which protocols it speaks, and has all its time to say so.
    New,
}

impl From<ConnectError> for Failed {
    fn from(error: ConnectError) -> Self {
        Self {
            error,
            may_be_old: false,
            is_late: false,
        }
    }
}

impl Attempt<'_> {
    /// Connects, and once more with another token where the server refuses the first.
    pub(super) async fn connect(&self, is_old: bool) -> Result<Established, ConnectError> {
        let Some(tokens) = &self.surroundings.tokens else {
            return self.in_time(is_old).await;
        };
        let mut left = MOST_TOKENS;
        loop {
            let greeting = Arc::new(GreetingTokens::new(Arc::clone(tokens)));
            let mut surroundings = self.surroundings.clone();
            surroundings.tokens = Some(greeting.clone());
            let attempt = Attempt {
                surroundings: &surroundings,
                ..*self
            };
            let error = match attempt.in_time(is_old).await {
                Ok(established) => {
                    greeting.made();
                    return Ok(established);
                }
                Err(error) if left == 0 => return Err(error),
                Err(error) => error,
            };
            left -= 1;
            match greeting.answer().await {
                Ok(true) => {}
                Ok(false) => return Err(error),
                Err(error) => {
                    let (server, reason) = (self.server(), error.reason());
                    return Err(ConnectError::Unauthorized { server, reason });
                }
            }
        }
    }

    /// Connects, within the time that the server has.
    async fn in_time(&self, is_old: bool) -> Result<Established, ConnectError> {
        let waited = self.config.timeouts().connect;
        let fault = Arc::new(Fault::default());
        let connecting = self.with_any_handshake(is_old, &fault);
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
        is_old: bool,
        fault: &Arc<Fault>,
    ) -> Result<Established, ConnectError> {
        // Nobody speaks the new protocol over the old transport.
        let is_old = is_old || matches!(self.config.transport(), Transport::Sse { .. });
        let greeting = if is_old {
            Greeting::Old
        } else {
            Greeting::Either
        };
        let (first, greeting) = match self.open_and_greet(greeting, fault).await {
            Ok(established) => return Ok(established),
            Err(failed) if is_old => return Err(failed.error),
            Err(failed) if failed.is_late => (failed.error, Greeting::New),
            Err(failed) if failed.may_be_old => (failed.error, Greeting::Old),
            Err(failed) => return Err(failed.error),
        };
        tracing::debug!(error = %first, ?greeting, "another handshake is tried");
        let second = Arc::new(Fault::default());
        // Of two errors the first says what a server of today does.
        let established = self.open_and_greet(greeting, &second).await;
        established.map_err(|_| first)
    }

    async fn open_and_greet(
        &self,
        greeting: Greeting,
        fault: &Arc<Fault>,
    ) -> Result<Established, Failed> {
        let tokens = self.surroundings.tokens.clone();
        if let Some(dial) = &self.surroundings.dial {
            let stream = dial().map_err(|error| self.unreachable(error.to_string()))?;
            let pipe = open_pipe(stream, fault);
            return self.greet(pipe, Fallback::InPlace, greeting, fault).await;
        }
        match self.config.transport() {
            Transport::Stdio(server) => {
                let sandbox = self.surroundings.sandbox.as_ref();
                let opened = open_stdio(server, sandbox, fault).await;
                let pipe = opened.map_err(|reason| {
                    let server = self.server();
                    ConnectError::NotStarted { server, reason }
                })?;
                self.greet(pipe, Fallback::InPlace, greeting, fault).await
            }
            Transport::Http { url, headers } => {
                let opened = open_http(url, headers, tokens, fault).await;
                let http = opened.map_err(|what| self.misconfigured(what))?;
                self.greet(http, Fallback::Anew, greeting, fault).await
            }
            Transport::Sse { url, headers } => {
                let opened = open_sse(url, headers, tokens, fault).await;
                let sse = opened.map_err(|unopened| match unopened {
                    Unopened::Misconfigured(what) => self.misconfigured(what),
                    Unopened::Failed(failure) => self.failed(failure),
                })?;
                self.greet(sse, Fallback::Anew, Greeting::Old, fault).await
            }
        }
    }

    async fn greet<T>(
        &self,
        transport: T,
        fallback: Fallback,
        greeting: Greeting,
        fault: &Arc<Fault>,
    ) -> Result<Established, Failed>
    where
        T: Wire<RoleClient> + 'static,
    {
        let calls = Calls::new(self.server());
        let changed = Arc::new(Notify::new());
        let answers = Answers {
            server: self.server(),
            trust: self.config.trust(),
        };
        let handler = Handler {
            client: self.surroundings.client.clone(),
            answers: answers.clone(),
            calls: Arc::clone(&calls),
            changed: Arc::clone(&changed),
        };
        let listener = Arc::clone(&calls);
        let whole = self.config.timeouts().connect;
        let patience = match greeting {
            Greeting::New => whole,
            Greeting::Either | Greeting::Old => PATIENCE.min(whole / 3),
        };
        let watched = Watched::new(transport, listener, patience, fallback);
        let preferred_versions = vec![ProtocolVersion::LATEST];
        let lifecycle = match greeting {
            Greeting::Old => ClientLifecycleMode::Initialize,
            Greeting::New => ClientLifecycleMode::Discover { preferred_versions },
            Greeting::Either => ClientLifecycleMode::Auto {
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
            let version = tidy(version.as_str(), 40);
            let reason = format!(
                "it speaks the protocol `{version}`, and this program those from 2024-11-05 to 2026-07-28"
            );
            return Err(self.protocol(reason).into());
        }
        Ok(Established {
            running,
            info,
            answers,
            calls,
            changed,
            fault: Arc::clone(fault),
            is_old: greeting == Greeting::Old,
        })
    }

    /// Says what a failed handshake means.
    async fn explain(&self, error: &ClientInitializeError, fault: &Fault) -> Failed {
        let is_late = refuses_the_old(error);
        let (error, may_be_old) = match error {
            ClientInitializeError::ConnectionClosed(_) => {
                fault.settle().await;
                (self.ended(fault), true)
            }
            ClientInitializeError::TransportError { error, .. } => {
                let failure = Failure::of(error);
                let may_be_old = matches!(failure, Failure::Broken(_) | Failure::SessionLost(_));
                fault.settle().await;
                match failure {
                    // A program that has ended says more than the pipe to it.
                    Failure::Broken(_)
                        if matches!(self.config.transport(), Transport::Stdio(_)) =>
                    {
                        (self.ended(fault), may_be_old)
                    }
                    failure => (self.failed(failure), may_be_old),
                }
            }
            ClientInitializeError::JsonRpcError(error) => {
                let (message, code) = (tidy(&error.message, 500), error.code.0);
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
                let spoken: Vec<String> = server_supported
                    .iter()
                    .map(|version| tidy(version.as_str(), 40))
                    .collect();
                let reason = format!("it speaks only the protocols {}", spoken.join(", "));
                (self.protocol(reason), true)
            }
            other => (self.protocol(tidy(&other.to_string(), 500)), false),
        };
        Failed {
            error,
            may_be_old,
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
                    "nobody answers at {} ({reason}): see whether it runs there",
                    crate::mcp::transport::place(url)
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

/// Reports whether a server that speaks the new protocol refused the old handshake, which it got because it was slow.
fn refuses_the_old(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => refuses_the_old(fallback),
        _ => false,
    }
}
