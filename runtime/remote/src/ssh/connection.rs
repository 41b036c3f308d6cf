//! A connection that is re-established when it breaks, and commands over it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream;
use russh::client::{Config, Handle, Msg, connect};
use russh::keys::agent::AgentIdentity;
use russh::keys::agent::client::AgentClient;
use russh::keys::{HashAlg, PrivateKeyWithHashAlg, load_secret_key};
use russh::{Channel, ChannelMsg, ChannelReadHalf, Disconnect};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};

use super::hosts::KnownHost;
use super::settings::{SshCredential, SshSettings};
use crate::remote::{CommandEvent, RunningCommand, Transport, unreachable_error};

/// The greatest number of concurrent commands over one connection: OpenSSH accepts 10 by default.
const MAX_CHANNELS: usize = 8;

/// The greatest number of connections that are tried for one command.
const MAX_CONNECTIONS: usize = 3;

/// The time limit for the start of a command.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// The greatest number of agent keys that are tried: servers close the connection after a few unknown keys.
const MAX_KEYS: usize = 6;

/// A connection to one machine, established on demand.
#[derive(Debug)]
pub struct SshConnection {
    settings: SshSettings,
    live: Mutex<Option<LiveConnection>>,
}

/// An open connection and the permits for its channels.
#[derive(Clone)]
struct LiveConnection {
    handle: Arc<Handle<KnownHost>>,
    channels: Arc<Semaphore>,
}

impl std::fmt::Debug for LiveConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LiveConnection")
            .field("closed", &self.handle.is_closed())
            .finish_non_exhaustive()
    }
}

impl SshConnection {
    pub(super) fn new(settings: SshSettings) -> Self {
        Self {
            settings,
            live: Mutex::new(None),
        }
    }

    /// Returns the open connection, or connects.
    async fn get_or_connect(&self) -> io::Result<LiveConnection> {
        let mut live = self.live.lock().await;
        if let Some(live) = live.as_ref().filter(|live| !live.handle.is_closed()) {
            return Ok(live.clone());
        }
        let limit = self.settings.connect_timeout;
        let connected = tokio::time::timeout(limit, self.connect()).await;
        let handle = connected.map_err(|_| {
            let (target, seconds) = (self.target(), limit.as_secs());
            unreachable_error(format!(
                "{target} did not complete the login within {seconds} s"
            ))
        })??;
        let made = LiveConnection {
            handle: Arc::new(handle),
            channels: Arc::new(Semaphore::new(MAX_CHANNELS)),
        };
        *live = Some(made.clone());
        Ok(made)
    }

    fn target(&self) -> String {
        format!("{}:{}", self.settings.host, self.settings.port)
    }

    async fn connect(&self) -> io::Result<Handle<KnownHost>> {
        let SshSettings {
            host,
            port,
            known_hosts,
            ..
        } = self.settings.clone();
        let target = self.target();
        let known =
            tokio::task::spawn_blocking(move || KnownHost::read(&host, port, &known_hosts)).await;
        let known = known.map_err(io::Error::other)?.map_err(permanent_error)?;
        let mut config = Config {
            keepalive_interval: Some(self.settings.keepalive),
            keepalive_max: 3,
            nodelay: true,
            ..Config::default()
        };
        if let Some(algorithms) = known.algorithms() {
            config.preferred.key = algorithms;
        }
        let address = (self.settings.host.as_str(), self.settings.port);
        let connected = connect(Arc::new(config), address, known.clone()).await;
        let mut handle = connected.map_err(|error| match known.refusal() {
            Some(refusal) => permanent_error(refusal),
            None => unreachable_error(format!("{target} cannot be reached: {error}")),
        })?;
        if self.authenticate(&mut handle).await? {
            Ok(handle)
        } else {
            let user = &self.settings.user;
            Err(permanent_error(format!(
                "{target} does not accept {user} with {}",
                self.credential()
            )))
        }
    }

    fn credential(&self) -> String {
        match &self.settings.credential {
            SshCredential::Key { path, .. } => format!("the key {}", path.display()),
            SshCredential::Agent { .. } => "any key of the agent".to_owned(),
        }
    }

    async fn authenticate(&self, handle: &mut Handle<KnownHost>) -> io::Result<bool> {
        let broken = |error: russh::Error| {
            unreachable_error(format!(
                "the connection broke while the user was checked: {error}"
            ))
        };
        let hash = handle.best_supported_rsa_hash().await;
        let hash = hash.map_err(broken)?.flatten();
        match self.settings.credential.clone() {
            SshCredential::Key { path, passphrase } => {
                let shown = path.display().to_string();
                let load = move || load_secret_key(path, passphrase.as_deref());
                let key = tokio::task::spawn_blocking(load).await;
                let key = key.map_err(io::Error::other)?.map_err(|error| {
                    permanent_error(format!("the key {shown} cannot be used: {error}"))
                })?;
                let key = PrivateKeyWithHashAlg::new(Arc::new(key), hash);
                let user = &self.settings.user;
                let done = handle.authenticate_publickey(user, key).await;
                Ok(done.map_err(broken)?.success())
            }
            SshCredential::Agent { socket } => {
                let no_agent = |error: russh::keys::Error| {
                    permanent_error(format!("the agent cannot be used: {error}"))
                };
                let agent = match socket {
                    Some(socket) => AgentClient::connect_uds(socket).await,
                    None => AgentClient::connect_env().await,
                };
                let mut agent = agent.map_err(no_agent)?;
                let keys = agent.request_identities().await.map_err(no_agent)?;
                self.try_keys(handle, &mut agent, keys, hash).await
            }
        }
    }

    async fn try_keys<S>(
        &self,
        handle: &mut Handle<KnownHost>,
        agent: &mut AgentClient<S>,
        keys: Vec<AgentIdentity>,
        hash: Option<HashAlg>,
    ) -> io::Result<bool>
    where
        S: russh::keys::agent::client::AgentStream + Send + Unpin + 'static,
    {
        let plain = keys.into_iter().filter_map(|identity| match identity {
            AgentIdentity::PublicKey { key, .. } => Some(key),
            AgentIdentity::Certificate { .. } => None,
        });
        for key in plain.take(MAX_KEYS) {
            let rsa = key.algorithm().is_rsa();
            let hash = hash.filter(|_| rsa);
            // An agent that does not sign with one key may sign with the next.
            let done = handle
                .authenticate_publickey_with(&self.settings.user, key, hash, agent)
                .await;
            if done.is_ok_and(|done| done.success()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) async fn close(&self) {
        if let Some(live) = self.live.lock().await.take() {
            let closed = live.handle.disconnect(Disconnect::ByApplication, "", "en");
            let _ = closed.await;
        }
    }

    /// Opens a channel. A server that accepts no more channels over one connection may accept one over another: a
    /// channel whose client is gone still counts for a while.
    async fn channel(&self) -> io::Result<(Channel<Msg>, OwnedSemaphorePermit)> {
        let mut attempts = MAX_CONNECTIONS;
        loop {
            let live = self.get_or_connect().await?;
            let permit = Arc::clone(&live.channels).acquire_owned().await;
            let permit = permit.map_err(io::Error::other)?;
            match live.handle.channel_open_session().await {
                Ok(channel) => return Ok((channel, permit)),
                Err(russh::Error::ChannelOpenFailure(_)) if attempts > 0 => {
                    attempts -= 1;
                    let mut current = self.live.lock().await;
                    // Another task may have connected again meanwhile.
                    current.take_if(|now| Arc::ptr_eq(&now.handle, &live.handle));
                }
                Err(error) => return Err(self.connection_error(&error)),
            }
        }
    }

    fn connection_error(&self, error: &russh::Error) -> io::Error {
        let target = self.target();
        unreachable_error(format!("the connection to {target} broke: {error}"))
    }
}

impl Transport for SshConnection {
    fn run<'a>(&'a self, command: &'a str) -> BoxFuture<'a, io::Result<RunningCommand>> {
        Box::pin(async move {
            let begun = tokio::time::timeout(START_TIMEOUT, async {
                let (channel, permit) = self.channel().await?;
                let asked = channel.exec(true, command).await;
                asked.map_err(|error| self.connection_error(&error))?;
                Ok::<_, io::Error>((channel, permit))
            });
            let slow = |_| {
                let target = self.target();
                unreachable_error(format!("{target} did not start the command in time"))
            };
            let (channel, permit) = begun.await.map_err(slow)??;
            let input = Box::pin(channel.make_writer());
            let (read, write) = channel.split();
            let state = Messages {
                read,
                close: Some(Box::new(write)),
                _permit: permit,
                code: None,
            };
            let output = Box::pin(stream::unfold(state, Messages::next));
            Ok(RunningCommand { input, output })
        })
    }
}

/// The messages of the server for one command.
struct Messages {
    read: ChannelReadHalf,
    close: Option<Box<russh::ChannelWriteHalf<Msg>>>,
    _permit: OwnedSemaphorePermit,
    code: Option<i32>,
}

impl Messages {
    async fn next(mut self) -> Option<(io::Result<CommandEvent>, Self)> {
        loop {
            match self.read.wait().await {
                Some(ChannelMsg::Data { data }) => {
                    return Some((Ok(CommandEvent::Stdout(data.to_vec())), self));
                }
                Some(ChannelMsg::ExtendedData { data, .. }) => {
                    return Some((Ok(CommandEvent::Stderr(data.to_vec())), self));
                }
                Some(ChannelMsg::ExitStatus { exit_status }) => {
                    self.code = Some(i32::try_from(exit_status).unwrap_or(255));
                }
                Some(ChannelMsg::ExitSignal { .. }) => self.code = Some(255),
                Some(ChannelMsg::Failure) => {
                    let why = "the remote machine refused to run the command";
                    return Some((Err(io::Error::other(why)), self));
                }
                // Output may arrive after the exit, and all of it arrives before the channel closes.
                Some(ChannelMsg::Close) | None => {
                    let code = self.code.take()?;
                    return Some((Ok(CommandEvent::Exit(code)), self));
                }
                Some(_) => {}
            }
        }
    }
}

impl Drop for Messages {
    /// Closes the channel on the remote machine if the value is dropped before the end, so that the command does not
    /// continue without a client.
    fn drop(&mut self) {
        if let (Some(channel), Ok(runtime)) =
            (self.close.take(), tokio::runtime::Handle::try_current())
        {
            runtime.spawn(async move {
                let _ = channel.close().await;
            });
        }
    }
}

/// Returns the error of a failed connection, of a kind that is not retried.
fn permanent_error(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}
