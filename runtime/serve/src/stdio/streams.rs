//! Reserves standard input and output for the protocol.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

/// The stream of the client's messages.
pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;

/// The stream of the messages to the client.
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Reserves standard input and output: later writes of the process to standard output go to standard error.
#[cfg(unix)]
pub(super) fn reserve() -> io::Result<(Input, Output)> {
    use std::fs::File;
    use std::io::Write as _;
    use std::os::fd::AsFd as _;

    let (stdin, mut stdout) = (io::stdin(), io::stdout());
    let input = stdin.as_fd().try_clone_to_owned()?;
    // Buffered output must not appear in the middle of a message.
    stdout.flush()?;
    let output = stdout.as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok((unix::input(input)?, unix::output(output)?))
}

/// Duplicates standard input and output. On this platform the process's own writes cannot be redirected.
#[cfg(not(unix))]
pub(super) fn reserve() -> io::Result<(Input, Output)> {
    use std::fs::File;
    use std::os::windows::io::AsHandle as _;

    let input = io::stdin().as_handle().try_clone_to_owned()?;
    let output = io::stdout().as_handle().try_clone_to_owned()?;
    let input = tokio::fs::File::from_std(File::from(input));
    let output = tokio::fs::File::from_std(File::from(output));
    Ok((Box::new(input), Box::new(output)))
}

/// Converts descriptors to streams. Clients usually pass pipes or sockets, whose reads need no thread.
#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::net::UnixStream;

    use rustix::net::{AddressFamily, SocketType};

    use super::{Input, Output};

    macro_rules! stream {
        ($name:ident, $Stream:ty, $open:ident) => {
            pub(super) fn $name(descriptor: OwnedFd) -> io::Result<$Stream> {
                #[cfg(target_os = "linux")]
                if let Some(path) = pipe_path(&descriptor)
                    && let Ok(pipe) = tokio::net::unix::pipe::OpenOptions::new().$open(path)
                {
                    return Ok(Box::new(pipe));
                }
                if is_socket(&descriptor) {
                    return Ok(Box::new(socket(descriptor)?));
                }
                Ok(Box::new(tokio::fs::File::from_std(File::from(descriptor))))
            }
        };
    }
    stream!(input, Input, open_receiver);
    stream!(output, Output, open_sender);

    /// Returns the path by which a pipe is opened again. A new descriptor can be made non-blocking for this process alone; a
    /// duplicate would change the descriptors of all processes that share it.
    #[cfg(target_os = "linux")]
    fn pipe_path(descriptor: &OwnedFd) -> Option<String> {
        use std::os::fd::AsRawFd as _;

        let status = rustix::fs::fstat(descriptor).ok()?;
        let is_pipe = rustix::fs::FileType::from_raw_mode(status.st_mode).is_fifo();
        is_pipe.then(|| format!("/proc/self/fd/{}", descriptor.as_raw_fd()))
    }

    fn is_socket(descriptor: &impl AsFd) -> bool {
        use rustix::net::sockopt::socket_type;

        let family = rustix::net::getsockname(descriptor.as_fd());
        let is_local = family.is_ok_and(|name| name.address_family() == AddressFamily::UNIX);
        is_local && socket_type(descriptor.as_fd()).is_ok_and(|kind| kind == SocketType::STREAM)
    }

    fn socket(descriptor: OwnedFd) -> io::Result<tokio::net::UnixStream> {
        let socket = UnixStream::from(descriptor);
        socket.set_nonblocking(true)?;
        tokio::net::UnixStream::from_std(socket)
    }
}
