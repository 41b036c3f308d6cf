//! Standard input and output, taken over for the protocol.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

/// Where the client's messages come from.
pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;

/// Where the messages to the client go.
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Takes standard input and output over: this program's own writes go to standard error from now on.
#[cfg(unix)]
pub(super) fn claim() -> io::Result<(Input, Output)> {
    use std::fs::File;
    use std::io::Write as _;
    use std::os::fd::AsFd as _;

    let (stdin, mut stdout) = (io::stdin(), io::stdout());
    let input = stdin.as_fd().try_clone_to_owned()?;
    // What was written before is no message either, but it must not come out in the middle of one.
    stdout.flush()?;
    let output = stdout.as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok((unix::input(input)?, unix::output(output)?))
}

/// Takes standard input and output. What this program writes itself cannot be led elsewhere here.
#[cfg(not(unix))]
pub(super) fn claim() -> io::Result<(Input, Output)> {
    use std::fs::File;
    use std::os::windows::io::AsHandle as _;

    let input = io::stdin().as_handle().try_clone_to_owned()?;
    let output = io::stdout().as_handle().try_clone_to_owned()?;
    let input = tokio::fs::File::from_std(File::from(input));
    let output = tokio::fs::File::from_std(File::from(output));
    Ok((Box::new(input), Box::new(output)))
}

/// Descriptors as streams. Clients hand out pipes and sockets, which need no thread to wait for them.
#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::net::UnixStream;

    use rustix::net::{AddressFamily, SocketType};

    use super::{Input, Output};

    pub(super) fn input(descriptor: OwnedFd) -> io::Result<Input> {
        #[cfg(target_os = "linux")]
        if let Some(path) = pipe(&descriptor)
            && let Ok(pipe) = tokio::net::unix::pipe::OpenOptions::new().open_receiver(path)
        {
            return Ok(Box::new(pipe));
        }
        if is_socket(&descriptor) {
            return Ok(Box::new(socket(descriptor)?));
        }
        Ok(Box::new(tokio::fs::File::from_std(File::from(descriptor))))
    }

    pub(super) fn output(descriptor: OwnedFd) -> io::Result<Output> {
        #[cfg(target_os = "linux")]
        if let Some(path) = pipe(&descriptor)
            && let Ok(pipe) = tokio::net::unix::pipe::OpenOptions::new().open_sender(path)
        {
            return Ok(Box::new(pipe));
        }
        if is_socket(&descriptor) {
            return Ok(Box::new(socket(descriptor)?));
        }
        Ok(Box::new(tokio::fs::File::from_std(File::from(descriptor))))
    }

    /// Returns the path of a pipe under which it is opened anew: only then it can be made non-blocking for this program
    /// alone, and not for all who have a copy of the descriptor.
    #[cfg(target_os = "linux")]
    fn pipe(descriptor: &OwnedFd) -> Option<String> {
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
