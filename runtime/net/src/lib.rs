//! What an HTTP client needs beside HTTP: connections to hosts that a policy allows, and the decoding of compressed
//! responses within limits.

mod connecting;
mod decoding;

pub use connecting::{ConnectError, Encryption};
pub use decoding::{ACCEPTED, DecodeError, decode};
