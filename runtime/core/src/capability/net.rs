//! The capability to open connections, for protocols other than HTTP.

use std::fmt::Debug;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::handle::CapabilityHandle;
use super::{BackendError, Capability, CapabilityError, HttpBackend, HttpScope, Refusal, Requires};
use crate::network::Host;
use crate::support::text::first_chars;

/// Whether a connection is encrypted from its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tls {
    /// Bytes are sent as they are, until [`NetStream::start_tls`].
    None,
    /// The server proves with its certificate that it is the host.
    Required,
}

/// Where a connection leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetAddress<'a> {
    /// The name or the address of the host.
    pub host: &'a str,
    /// The port.
    pub port: u16,
    /// Whether the connection is encrypted.
    pub tls: Tls,
}

impl NetAddress<'_> {
    /// Parses the host, as it is written in a URL; an IPv6 address may stand without brackets.
    ///
    /// # Errors
    /// When it is no host.
    pub fn parse_host(&self) -> Result<Host, Refusal> {
        let refuse = |why| Refusal::host_not_allowed(first_chars(self.host, 256), why);
        if self.port == 0 {
            return Err(refuse("there is no port 0"));
        }
        let is_bare = self.host.contains(':') && !self.host.starts_with('[');
        let host = if is_bare {
            Host::parse(&format!("[{}]", self.host))
        } else {
            Host::parse(self.host)
        };
        host.ok_or_else(|| refuse("it is no host; write a name or an address"))
    }
}

/// A connection that a backend has opened.
pub trait StreamBackend: AsyncRead + AsyncWrite + Send + Unpin + Debug {
    /// Encrypts the connection; one that is encrypted stays as it is.
    ///
    /// # Errors
    /// When the server does not speak TLS, or does not prove that it is the host.
    fn start_tls(
        self: Box<Self>,
    ) -> BoxFuture<'static, Result<Box<dyn StreamBackend>, BackendError>>;
}

/// A future that opens a connection.
pub type OpeningStream<'a> = BoxFuture<'a, Result<Box<dyn StreamBackend>, BackendError>>;

/// Refuses a connection: what a backend does that opens none.
pub(super) fn refuse<'a>() -> OpeningStream<'a> {
    Box::pin(std::future::ready(Err(Refusal::not_granted(
        Capability::Net,
    )
    .into())))
}

/// The network, for protocols other than HTTP.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::capability::Tls;
/// use helve::prelude::*;
/// use tokio::io::AsyncReadExt as _;
///
/// /// Reads the greeting of the mail server.
/// #[tool(read_only, requires(net("mail.example.com:993")))]
/// async fn greeting(cx: &ToolContext) -> Result<String, ToolError> {
///     let mut stream = cx.net().connect("mail.example.com", 993, Tls::Required).await?;
///     let mut line = [0; 200];
///     let length = stream.read(&mut line).await?;
///     Ok(String::from_utf8_lossy(&line[..length]).into_owned())
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Net {
    handle: CapabilityHandle<dyn HttpBackend>,
    requires: Requires,
}

impl Net {
    /// Combines the declaration of a tool with the grant of the host.
    pub fn new(requires: &Requires, backend: Option<Arc<dyn HttpBackend>>) -> Self {
        Self {
            handle: CapabilityHandle::new(Capability::Net, requires.net, backend),
            requires: *requires,
        }
    }

    /// Opens a connection to a host, by the same rules as a request to it: a rule without a port is for 80 and 443. The
    /// name is resolved once, and each of its addresses is checked.
    ///
    /// Reading and writing have no time limit of their own but that of the call.
    ///
    /// # Errors
    /// When the tool did not declare `requires(net)` or declared other hosts, the host granted no network or not this host
    /// and port, or there is no connection within 20 seconds.
    pub async fn connect(
        &self,
        host: &str,
        port: u16,
        tls: Tls,
    ) -> Result<NetStream, CapabilityError> {
        let scope = HttpScope {
            hosts: self.requires.hosts,
            ..HttpScope::default()
        };
        let to = NetAddress { host, port, tls };
        let opened = self.handle.backend()?.connect(to, scope).await;
        let opened = opened.map_err(CapabilityError::failed(Capability::Net))?;
        Ok(NetStream(opened))
    }
}

/// A connection to a host, which is closed when it is dropped.
#[derive(Debug)]
pub struct NetStream(Box<dyn StreamBackend>);

impl NetStream {
    /// Encrypts the connection, where a protocol agrees on that after it was opened. What the server sent before is not to
    /// be trusted.
    ///
    /// # Errors
    /// When the server does not speak TLS, or does not prove that it is the host.
    pub async fn start_tls(self) -> Result<Self, CapabilityError> {
        let encrypted = self.0.start_tls().await;
        encrypted
            .map(Self)
            .map_err(CapabilityError::failed(Capability::Net))
    }
}

impl AsyncRead for NetStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for NetStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_shutdown(context)
    }
}
