//! The messages between an app and its worker: a length, a type, a body.

use std::io::{self, ErrorKind, Read, Write};

/// The size limit of one body, in bytes.
pub(super) const MAX_BODY_BYTES: usize = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum FrameKind {
    /// App to worker, once: the job, its limits and its argument.
    Start = 1,
    /// Both directions: a part of the bytes that are too many for one frame.
    Data = 2,
    /// Worker to app: a call to the host.
    Call = 3,
    /// App to worker: the result of a call.
    Return = 4,
    /// Worker to app, last: the result.
    Done = 5,
    /// Worker to app, last: the reason why there is no result.
    Failed = 6,
}

#[derive(Debug)]
pub(super) struct WorkerFrame {
    pub(super) kind: FrameKind,
    pub(super) body: Vec<u8>,
}

impl FrameKind {
    fn from_byte(byte: u8) -> Option<Self> {
        [
            Self::Start,
            Self::Data,
            Self::Call,
            Self::Return,
            Self::Done,
            Self::Failed,
        ]
        .into_iter()
        .find(|kind| *kind as u8 == byte)
    }
}

/// Writes one frame.
///
/// # Errors
/// Fails if the body is too long, or if the peer is gone.
pub(super) fn write(to: &mut impl Write, kind: FrameKind, body: &[u8]) -> io::Result<()> {
    if body.len() > MAX_BODY_BYTES {
        return Err(invalid("a frame is longer than 1 MiB"));
    }
    let length = u32::try_from(body.len()).map_err(io::Error::other)?;
    let mut head = [0; 5];
    head[..4].copy_from_slice(&length.to_le_bytes());
    head[4] = kind as u8;
    to.write_all(&head)?;
    to.write_all(body)
}

/// Reads one frame; `None` if the peer has closed the connection before the first byte.
///
/// # Errors
/// Fails if the frame is incomplete, is too long, or has an unknown type. No memory is allocated for an invalid length.
pub(super) fn read(from: &mut impl Read) -> io::Result<Option<WorkerFrame>> {
    let mut head = [0; 5];
    if let Err(error) = from.read_exact(&mut head[..1]) {
        return match error.kind() {
            // A socket whose peer has closed it with unread bytes is reset.
            ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset => Ok(None),
            _ => Err(error),
        };
    }
    from.read_exact(&mut head[1..]).map_err(to_unexpected_eof)?;
    let [a, b, c, d, kind] = head;
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    if length > MAX_BODY_BYTES {
        return Err(invalid("a frame is longer than 1 MiB"));
    }
    let kind =
        FrameKind::from_byte(kind).ok_or_else(|| invalid("a frame has a kind that is unknown"))?;
    let mut body = vec![0; length];
    from.read_exact(&mut body).map_err(to_unexpected_eof)?;
    Ok(Some(WorkerFrame { kind, body }))
}

/// Replaces the error of an end of the stream in the middle of a frame.
fn to_unexpected_eof(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::UnexpectedEof => invalid("a frame ends in the middle"),
        _ => error,
    }
}

fn invalid(why: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use super::{FrameKind, MAX_BODY_BYTES, read, write};

    #[test]
    fn a_frame_is_read_as_it_was_written() {
        let mut bytes = Vec::new();
        write(&mut bytes, FrameKind::Data, b"body").unwrap();
        write(&mut bytes, FrameKind::Done, b"").unwrap();
        let mut from = &bytes[..];
        for (kind, body) in [(FrameKind::Data, &b"body"[..]), (FrameKind::Done, b"")] {
            let frame = read(&mut from).unwrap().unwrap();
            assert_eq!((frame.kind, &frame.body[..]), (kind, body));
        }
        assert!(read(&mut from).unwrap().is_none());
    }

    #[test]
    fn a_wrong_frame_is_refused() {
        let long = vec![0; MAX_BODY_BYTES + 1];
        assert!(write(&mut Vec::new(), FrameKind::Data, &long).is_err());
        for wrong in [
            &[0xff; 5][..],
            &[1, 0, 0, 0, 9, 0],
            &[0, 0, 0, 0, 0],
            &[2, 0, 0, 0, 2, 0],
            &[0],
        ] {
            assert!(read(&mut &wrong[..]).is_err(), "{wrong:?}");
        }
    }
}
