//! Frames: two lengths, a head in JSON, and raw bytes.

use std::io;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::sandbox::OutputChunk;

/// The greatest size of a head, in bytes. A head contains the arguments and variables of a command.
const MAX_HEAD_BYTES: usize = 8 << 20;
/// The greatest number of raw bytes.
const MAX_BODY_BYTES: usize = OutputChunk::LIMIT;
/// The size of the two lengths, in bytes.
pub(super) const LENGTHS_BYTES: usize = 8;

/// One message.
#[derive(Debug, Default)]
pub(in super::super) struct Frame {
    pub(in super::super) head: Vec<u8>,
    pub(in super::super) body: Vec<u8>,
}

/// Encodes a message.
pub(in super::super) fn encode(head: &impl Serialize, body: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; LENGTHS_BYTES];
    serde_json::to_writer(&mut bytes, head)?;
    let (head, body_length) = check_lengths(bytes.len() - LENGTHS_BYTES, body.len())?;
    let lengths = [head as u32, body_length as u32].map(u32::to_le_bytes);
    bytes[..LENGTHS_BYTES].copy_from_slice(lengths.as_flattened());
    bytes.extend_from_slice(body);
    Ok(bytes)
}

/// Removes the first complete message from a buffer.
pub(in super::super) fn parse(buffer: &mut Vec<u8>) -> io::Result<Option<Frame>> {
    let Some(lengths) = buffer.first_chunk::<LENGTHS_BYTES>() else {
        return Ok(None);
    };
    let (head, body) = read_lengths(lengths)?;
    let whole = LENGTHS_BYTES + head + body;
    if buffer.len() < whole {
        return Ok(None);
    }
    let frame = Frame {
        head: buffer[LENGTHS_BYTES..LENGTHS_BYTES + head].to_vec(),
        body: buffer[LENGTHS_BYTES + head..whole].to_vec(),
    };
    buffer.drain(..whole);
    Ok(Some(frame))
}

/// Decodes the head of a message.
pub(in super::super) fn decode<T: DeserializeOwned>(frame: &Frame) -> io::Result<T> {
    Ok(serde_json::from_slice(&frame.head)?)
}

/// Decodes the two lengths.
pub(super) fn read_lengths(bytes: &[u8; LENGTHS_BYTES]) -> io::Result<(usize, usize)> {
    let [a, b, c, d, e, f, g, h] = *bytes;
    let head = u32::from_le_bytes([a, b, c, d]) as usize;
    check_lengths(head, u32::from_le_bytes([e, f, g, h]) as usize)
}

/// Rejects lengths that exceed the limits of a message.
fn check_lengths(head: usize, body: usize) -> io::Result<(usize, usize)> {
    if head > MAX_HEAD_BYTES || body > MAX_BODY_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the message exceeds the limit of 8 MiB and 1 MiB of raw bytes",
        ));
    }
    Ok((head, body))
}

#[cfg(test)]
mod tests {
    use super::{encode, parse};

    #[test]
    fn a_message_comes_back_whole_and_alone() {
        let mut bytes = encode(&"head", b"body").unwrap();
        let rest = encode(&"next", b"").unwrap();
        bytes.extend_from_slice(&rest[..5]);
        let first = parse(&mut bytes).unwrap().unwrap();
        assert_eq!(
            (&first.head[..], &first.body[..]),
            (&b"\"head\""[..], &b"body"[..])
        );
        assert!(parse(&mut bytes).unwrap().is_none());
        bytes.extend_from_slice(&rest[5..]);
        assert_eq!(parse(&mut bytes).unwrap().unwrap().head, b"\"next\"");
    }

    #[test]
    fn a_message_of_any_length_is_refused_before_it_is_read() {
        assert!(parse(&mut vec![0xff; 8]).is_err());
        assert!(encode(&"", &vec![0; (1 << 20) + 1]).is_err());
    }
}
