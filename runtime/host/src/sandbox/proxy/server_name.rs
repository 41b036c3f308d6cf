//! Parses the server name in the first message of TLS.

use std::io;

use rustls::server::Acceptor;
use tokio::io::{AsyncRead, AsyncReadExt};

use helve_core::network::Host;

/// The size limit of the first message, in bytes.
const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// The first byte of a TLS connection.
pub(super) const HANDSHAKE: u8 = 0x16;

/// The fatal TLS alert `unrecognized_name`.
pub(super) const UNRECOGNIZED_NAME: [u8; 7] = [0x15, 3, 3, 0, 2, 2, 112];

/// Reads until the first message is complete, appending to `bytes`, and returns the server name that it requests.
///
/// # Errors
/// Fails if the connection ends, or if the bytes are not TLS.
pub(super) async fn read(
    client: &mut (impl AsyncRead + Unpin),
    bytes: &mut Vec<u8>,
) -> io::Result<Option<Host>> {
    let mut acceptor = Acceptor::default();
    let mut fed = 0;
    loop {
        while fed < bytes.len() {
            match acceptor.read_tls(&mut &bytes[fed..])? {
                0 => break,
                taken => fed += taken,
            }
            let accepted = acceptor.accept();
            if let Some(accepted) = accepted.map_err(|(error, _)| invalid(error))? {
                return parse_host(accepted.client_hello().server_name());
            }
        }
        if bytes.len() >= MAX_MESSAGE_BYTES {
            return Err(invalid("the first message of TLS is too long"));
        }
        if client.read_buf(bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

fn parse_host(name: Option<&str>) -> io::Result<Option<Host>> {
    let Some(name) = name else { return Ok(None) };
    let host = Host::parse(name).ok_or_else(|| invalid("the requested server name is invalid"))?;
    Ok(Some(host))
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
