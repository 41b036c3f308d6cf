//! Responses that are compressed: decoded within the size limit of a response.

use std::io::{self, BufReader, Read};
use std::time::{Duration, Instant};

use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use helve_core::capability::HttpResponse;

/// The codings that are accepted, as a header says it.
pub const ACCEPTED: &str = match cfg!(feature = "brotli") {
    true => "gzip, deflate, br",
    false => "gzip, deflate",
};

/// The longest time for which a body is decoded.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// How many bytes are decoded between two looks at the clock.
const PIECE: usize = 4 << 10;

/// An error of a response that cannot be decoded, worded for the model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The body is not what its header says.
    #[error("the response is said to be compressed with {coding}, and cannot be decoded: {why}")]
    Coding {
        /// The coding.
        coding: &'static str,
        /// The reason.
        why: &'static str,
    },
    /// The decoded body exceeds the size limit.
    #[error("the response has more than {limit} bytes")]
    TooLarge {
        /// The greatest size of a response, in bytes.
        limit: usize,
    },
    /// The decoding exceeded its time limit.
    #[error("the response was not decoded within {limit:?}")]
    TimedOut {
        /// The time limit of the decoding.
        limit: Duration,
    },
}

/// A coding that is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
    #[cfg(feature = "brotli")]
    Brotli,
}

impl Coding {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "gzip" | "x-gzip" => Self::Gzip,
            "deflate" => Self::Deflate,
            #[cfg(feature = "brotli")]
            "br" => Self::Brotli,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            #[cfg(feature = "brotli")]
            Self::Brotli => "brotli",
        }
    }
}

/// A body that fails once its time is over.
struct TimedBody<'a> {
    rest: &'a [u8],
    until: Instant,
}

impl Read for TimedBody<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if Instant::now() >= self.until {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.rest.read(buffer)
    }
}

/// Decodes the body of a response, and removes the headers that describe its coding. A body in a coding that was not asked
/// for stays as it is, and so does a part of a body.
///
/// # Errors
/// Fails if the body is not what its header says, was compressed more than once, or has more than `limit` bytes.
pub async fn decode(response: &mut HttpResponse, limit: usize) -> Result<(), DecodeError> {
    let Some(coding) = coding(response)? else {
        return Ok(());
    };
    let body = std::mem::take(&mut response.body);
    let decoding = tokio::task::spawn_blocking(move || decode_body(&body, coding, limit));
    // A decoder that panics has met what it does not understand.
    response.body = decoding.await.unwrap_or_else(|_| Err(broken(coding)))?;
    let describes = |name: &str| matches!(name, "content-encoding" | "content-length");
    response.headers.retain(|(name, _)| !describes(name));
    Ok(())
}

/// Returns the coding of a response, if it is to be decoded.
fn coding(response: &HttpResponse) -> Result<Option<Coding>, DecodeError> {
    const PARTIAL_CONTENT: u16 = 206;
    if response.body.is_empty() || response.status == PARTIAL_CONTENT {
        return Ok(None);
    }
    let headers = response.headers.iter();
    let values = headers.filter(|(name, _)| name == "content-encoding");
    let names = values.flat_map(|(_, value)| value.split(','));
    let names = names.map(|name| name.trim().to_ascii_lowercase());
    let mut names = names.filter(|name| !matches!(&**name, "" | "identity"));
    let first = names.next();
    match (first.and_then(|name| Coding::parse(&name)), names.next()) {
        (Some(coding), Some(_)) => Err(DecodeError::Coding {
            coding: coding.name(),
            why: "it is compressed more than once",
        }),
        (coding, _) => Ok(coding),
    }
}

fn decode_body(body: &[u8], coding: Coding, limit: usize) -> Result<Vec<u8>, DecodeError> {
    let until = Instant::now() + TIME_LIMIT;
    let rest = BufReader::with_capacity(PIECE, TimedBody { rest: body, until });
    let mut decoder: Box<dyn Read + '_> = match coding {
        Coding::Gzip => Box::new(MultiGzDecoder::new(rest)),
        // Some servers leave out the frame that the standard asks for.
        Coding::Deflate if has_zlib_frame(body) => Box::new(ZlibDecoder::new(rest)),
        Coding::Deflate => Box::new(DeflateDecoder::new(rest)),
        #[cfg(feature = "brotli")]
        Coding::Brotli => Box::new(brotli_decoder(rest)),
    };
    let mut decoded = Vec::new();
    let mut piece = [0; 16 << 10];
    loop {
        let read = match decoder.read(&mut piece) {
            Ok(0) => return Ok(decoded),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                let limit = TIME_LIMIT;
                return Err(DecodeError::TimedOut { limit });
            }
            Err(_) => return Err(broken(coding)),
        };
        if decoded.len() + read > limit {
            return Err(DecodeError::TooLarge { limit });
        }
        decoded.extend_from_slice(&piece[..read]);
    }
}

#[cfg(feature = "brotli")]
fn brotli_decoder<R: Read>(compressed: R) -> impl Read {
    use brotli_decompressor::{BrotliDecoderParameter, Decompressor};

    let mut decoder = Decompressor::new(compressed, PIECE);
    // The decoder would reserve up to a gigabyte for windows that no server of the web may use.
    let large_window = BrotliDecoderParameter::BROTLI_DECODER_PARAM_LARGE_WINDOW;
    decoder.set_parameter(large_window, 0);
    decoder
}

/// Reports whether compressed data has the frame of zlib.
fn has_zlib_frame(body: &[u8]) -> bool {
    matches!(body, [method, flags, ..] if method & 0xf == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0)
}

fn broken(coding: Coding) -> DecodeError {
    DecodeError::Coding {
        coding: coding.name(),
        why: "its data is damaged, or is something else",
    }
}
