//! Messages over blocking sockets, with file descriptors.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::os::{self, ForkResult};
use super::frame::{LENGTHS_BYTES, encode, read_lengths};

/// The greatest number of descriptors that are passed with a message.
const FILES: usize = 4;

/// Sends a message, and blocks until the socket has accepted it.
pub(in super::super) fn send(socket: impl AsFd, head: &impl Serialize) -> io::Result<()> {
    send_with(socket, head, &[] as &[OwnedFd])
}

/// Like [`send`], with file descriptors.
pub(in super::super) fn send_with(
    socket: impl AsFd,
    head: &impl Serialize,
    files: &[impl AsFd],
) -> io::Result<()> {
    let bytes = encode(head, &[])?;
    let files: Vec<_> = files.iter().map(AsFd::as_fd).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !files.is_empty() && !control.push(SendAncillaryMessage::ScmRights(&files)) {
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

/// Receives a message and the descriptors passed with it; `None` at the end of the connection.
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

/// Runs `work` in a child that `fork` creates, and returns its result and the descriptors passed with it. The child has
/// ended when this function returns.
///
/// # Errors
/// Fails if `work` fails, or does not end in time.
pub(in super::super) fn call_in_child<T: Serialize + DeserializeOwned>(
    fork: impl FnOnce() -> io::Result<ForkResult>,
    timeout: Option<Duration>,
    work: impl FnOnce() -> io::Result<(T, Vec<OwnedFd>)>,
) -> io::Result<(T, Vec<OwnedFd>)> {
    let (socket, theirs) = os::socket_pair()?;
    let child = match fork()? {
        ForkResult::Child => {
            let (answer, files) = match work() {
                Ok((done, files)) => (Ok(done), files),
                Err(error) => (Err(error.to_string()), Vec::new()),
            };
            let sent = send_with(&theirs, &answer, &files);
            std::process::exit(i32::from(sent.is_err()))
        }
        ForkResult::Parent(child) => child,
    };
    drop(theirs);
    let answer = set_socket_timeout(&socket, Timeout::Recv, timeout)
        .map_err(io::Error::from)
        .and_then(|()| receive::<Result<T, String>>(&socket));
    os::kill_child(child);
    let (done, files) = answer?.ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok((done.map_err(io::Error::other)?, files))
}

/// Fills a buffer; reports whether any byte was read before the end.
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
