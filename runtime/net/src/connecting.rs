//! Connections of tools that speak other protocols than HTTP.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use helve_core::capability::{BackendError, NetAddress, Refusal, StreamBackend, Tls};
use helve_core::network::{Host, HostPolicy, Resolve};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// The longest time until a connection is open, or is encrypted.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// An error of a connection to a host that was allowed, worded for the model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// No connection could be opened.
    #[error("the host is allowed, and no connection to it could be opened")]
    Connect(#[source] io::Error),
    /// There was no connection within the time limit.
    #[error("there was no connection within {limit:?}")]
    TimedOut {
        /// The time limit of a connection.
        limit: Duration,
    },
    /// The connection could not be encrypted.
    #[error("the host is allowed, and the connection to it could not be encrypted")]
    Tls(#[source] io::Error),
    /// The program is shutting down.
    #[error("the program is shutting down")]
    Stopped,
}

/// What encrypts connections; it is made once, since the certificates of the system are read for it.
#[derive(Clone, Default)]
pub struct Encryption(Arc<OnceCell<TlsConnector>>);

/// A connection that is not encrypted.
#[derive(Debug)]
struct PlainStream {
    stream: TcpStream,
    host: Host,
    encryption: Encryption,
}

/// A connection that is encrypted.
#[derive(Debug)]
struct EncryptedStream(Box<TlsStream<TcpStream>>);

impl Encryption {
    /// Opens a connection to a host that the policy allows, within `limit` and within 20 seconds.
    ///
    /// # Errors
    /// Fails if the policy refuses the host, or with a [`ConnectError`].
    pub async fn open(
        &self,
        to: NetAddress<'_>,
        policy: &HostPolicy,
        resolver: &dyn Resolve,
        limit: Duration,
    ) -> Result<Box<dyn StreamBackend>, BackendError> {
        let host = to.parse_host()?;
        let opening = async {
            let destination = policy.resolve(&host, to.port, resolver).await;
            let destination = destination.map_err(Refusal::from)?;
            let stream = TcpStream::connect(&*destination.addresses).await;
            let stream = stream.map_err(ConnectError::Connect)?;
            stream.set_nodelay(true).map_err(ConnectError::Connect)?;
            let encryption = self.clone();
            let plain = PlainStream {
                stream,
                host,
                encryption,
            };
            Ok(match to.tls {
                Tls::None => Box::new(plain) as Box<dyn StreamBackend>,
                Tls::Required => Box::new(plain.encrypt().await?),
            })
        };
        within(TIME_LIMIT.min(limit), opening).await
    }

    async fn connector(&self) -> Result<&TlsConnector, ConnectError> {
        let make = || async {
            let made = tokio::task::spawn_blocking(|| {
                helve_core::network::install_tls_provider();
                let config = ClientConfig::builder().with_platform_verifier()?;
                Ok(config.with_no_client_auth())
            });
            let config = made.await.map_err(|_| ConnectError::Stopped)?;
            let failed = |error: rustls::Error| ConnectError::Tls(io::Error::other(error));
            Ok(TlsConnector::from(Arc::new(config.map_err(failed)?)))
        };
        self.0.get_or_try_init(make).await
    }
}

async fn within<T>(
    limit: Duration,
    opening: impl Future<Output = Result<T, BackendError>>,
) -> Result<T, BackendError> {
    let opened = tokio::time::timeout(limit, opening).await;
    opened.unwrap_or_else(|_| Err(ConnectError::TimedOut { limit }.into()))
}

impl std::fmt::Debug for Encryption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encryption").finish_non_exhaustive()
    }
}

impl PlainStream {
    async fn encrypt(self) -> Result<EncryptedStream, ConnectError> {
        let name = match &self.host {
            Host::Name(name) => ServerName::try_from(name.clone()),
            Host::Address(address) => Ok((*address).into()),
        };
        let name = name.map_err(|error| ConnectError::Tls(io::Error::other(error)))?;
        let connector = self.encryption.connector().await?;
        let stream = connector.connect(name, self.stream).await;
        Ok(EncryptedStream(Box::new(
            stream.map_err(ConnectError::Tls)?,
        )))
    }
}

impl StreamBackend for PlainStream {
    fn start_tls(
        self: Box<Self>,
    ) -> BoxFuture<'static, Result<Box<dyn StreamBackend>, BackendError>> {
        Box::pin(within(TIME_LIMIT, async move {
            Ok(Box::new(self.encrypt().await?) as Box<dyn StreamBackend>)
        }))
    }
}

impl StreamBackend for EncryptedStream {
    fn start_tls(
        self: Box<Self>,
    ) -> BoxFuture<'static, Result<Box<dyn StreamBackend>, BackendError>> {
        Box::pin(async move { Ok(self as Box<dyn StreamBackend>) })
    }
}

/// Reads and writes through the field of a stream.
macro_rules! delegate {
    ($name:ident, $field:tt) => {
        impl AsyncRead for $name {
            fn poll_read(
                mut self: Pin<&mut Self>,
                context: &mut Context<'_>,
                buffer: &mut ReadBuf<'_>,
            ) -> Poll<io::Result<()>> {
                Pin::new(&mut self.$field).poll_read(context, buffer)
            }
        }

        impl AsyncWrite for $name {
            fn poll_write(
                mut self: Pin<&mut Self>,
                context: &mut Context<'_>,
                bytes: &[u8],
            ) -> Poll<io::Result<usize>> {
                Pin::new(&mut self.$field).poll_write(context, bytes)
            }

            fn poll_flush(
                mut self: Pin<&mut Self>,
                context: &mut Context<'_>,
            ) -> Poll<io::Result<()>> {
                Pin::new(&mut self.$field).poll_flush(context)
            }

            fn poll_shutdown(
                mut self: Pin<&mut Self>,
                context: &mut Context<'_>,
            ) -> Poll<io::Result<()>> {
                Pin::new(&mut self.$field).poll_shutdown(context)
            }
        }
    };
}

delegate!(PlainStream, stream);
delegate!(EncryptedStream, 0);
