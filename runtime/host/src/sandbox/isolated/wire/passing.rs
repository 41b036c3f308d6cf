//! Messages over blocking sockets, with open files beside them.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::frame::{LENGTHS_BYTES, encode, read_lengths};

/// The most open files beside a message.
const FILES: usize = 4;

/// Sends a message and open files, and waits until the socket has taken it.
pub(in super::super) fn send(
    socket: impl AsFd,
    head: &impl Serialize,
    files: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let bytes = encode(head, &[])?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !files.is_empty() && !control.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(io::Error::other("too many files beside a message"));
    }
    let mut sent = 0;
    while sent < bytes.len() {
        let rest = [IoSlice::new(&bytes[sent..])];
        match sendmsg(&socket, &rest, &mut control, SendFlags::NOSIGNAL) {
            Ok(count) => {
                sent += count;
                control.clear();
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Receives a message and the open files beside it; `None` at the end of the connection.
pub(in super::super) fn receive<T: DeserializeOwned>(
    socket: impl AsFd,
) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut files = Vec::new();
    let mut lengths = [0; LENGTHS_BYTES];
    if !fill(&socket, &mut lengths, &mut files)? {
        return Ok(None);
    }
    let (head, body) = read_lengths(&lengths)?;
    let mut bytes = vec![0; head + body];
    if !fill(&socket, &mut bytes, &mut files)? {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some((serde_json::from_slice(&bytes[..head])?, files)))
}

/// Fills a buffer; reports whether there was anything before the end.
fn fill(socket: impl AsFd, buffer: &mut [u8], files: &mut Vec<OwnedFd>) -> io::Result<bool> {
    let mut filled = 0;
    while filled < buffer.len() {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut parts = [IoSliceMut::new(&mut buffer[filled..])];
        let received = recvmsg(&socket, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC);
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(passed) = message {
                files.extend(passed);
            }
        }
        match received {
            Ok(message) if message.bytes == 0 && filled == 0 => return Ok(false),
            Ok(message) if message.bytes == 0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(message) => filled += message.bytes,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}
