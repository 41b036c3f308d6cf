//! What the service manager of the machine is told: that the daemon is ready, works, and ends.

use std::ffi::OsString;
use std::fmt;
use std::time::{Duration, Instant};

/// Tells systemd how far a daemon is, as a service of the type `notify`; does nothing where no service manager listens.
///
/// The messages are datagrams to the socket that `NOTIFY_SOCKET` names, in the protocol of `sd_notify(3)`.
pub struct ServiceNotifier {
    socket: Option<OsString>,
    /// The time between two signs of life, which is half of what the service manager waits.
    interval: Option<Duration>,
    last: Option<Instant>,
}

impl fmt::Debug for ServiceNotifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceNotifier")
            .field("socket", &self.socket)
            .field("interval", &self.interval)
            .finish_non_exhaustive()
    }
}

impl ServiceNotifier {
    /// Reads from the environment where the service manager listens, and how often it waits for a sign of life.
    #[must_use]
    pub fn from_environment() -> Self {
        let number = |name| std::env::var(name).ok()?.parse::<u64>().ok();
        let is_meant = number("WATCHDOG_PID").is_none_or(|id| id == u64::from(std::process::id()));
        let watchdog = number("WATCHDOG_USEC").filter(|_| is_meant);
        Self::new(
            std::env::var_os("NOTIFY_SOCKET"),
            watchdog.map(Duration::from_micros),
        )
    }

    /// Creates a notifier for a socket, and a service manager that waits for a sign of life for a time at most.
    #[must_use]
    pub fn new(socket: Option<OsString>, watchdog: Option<Duration>) -> Self {
        Self {
            socket: socket.filter(|socket| !socket.is_empty()),
            interval: watchdog.map(|watchdog| watchdog / 2),
            last: None,
        }
    }

    /// Says that the daemon is ready, and then that it works, as often as the service manager has to hear it.
    pub(crate) fn work(&mut self) {
        let Some(last) = self.last else {
            self.last = Some(Instant::now());
            return self.send("READY=1");
        };
        if self
            .interval
            .is_some_and(|interval| last.elapsed() >= interval)
        {
            self.last = Some(Instant::now());
            self.send("WATCHDOG=1");
        }
    }

    /// Says that the daemon ends.
    pub(crate) fn end(&self) {
        self.send("STOPPING=1");
    }

    fn send(&self, message: &str) {
        let Some(socket) = &self.socket else {
            return;
        };
        if let Err(error) = send(socket, message) {
            tracing::debug!(%error, message, "the service manager was not told");
        }
    }
}

#[cfg(unix)]
fn send(socket: &OsString, message: &str) -> std::io::Result<()> {
    use std::os::unix::net::{SocketAddr, UnixDatagram};

    let sender = UnixDatagram::unbound()?;
    sender.set_nonblocking(true)?;
    // A name that begins with `@` is in the abstract namespace of Linux.
    #[cfg(target_os = "linux")]
    if let Some(name) = std::os::unix::ffi::OsStrExt::as_bytes(&**socket).strip_prefix(b"@") {
        use std::os::linux::net::SocketAddrExt as _;
        let address = SocketAddr::from_abstract_name(name)?;
        return sender.send_to_addr(message.as_bytes(), &address).map(drop);
    }
    let address = SocketAddr::from_pathname(socket)?;
    sender.send_to_addr(message.as_bytes(), &address).map(drop)
}

#[cfg(not(unix))]
fn send(_: &OsString, _: &str) -> std::io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::net::UnixDatagram;

    use super::*;

    #[test]
    fn the_service_manager_hears_that_the_daemon_is_ready_works_and_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let manager = UnixDatagram::bind(&path).unwrap();
        manager.set_nonblocking(true).unwrap();
        let mut notifier = ServiceNotifier::new(Some(path.into()), Some(Duration::ZERO));
        notifier.work();
        notifier.work();
        notifier.end();
        let mut buffer = [0; 64];
        let mut heard = Vec::new();
        while let Ok(length) = manager.recv(&mut buffer) {
            heard.push(String::from_utf8(buffer[..length].to_vec()).unwrap());
        }
        assert_eq!(heard, ["READY=1", "WATCHDOG=1", "STOPPING=1"]);
        let mut silent = ServiceNotifier::new(None, None);
        silent.work();
        silent.end();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_socket_may_be_abstract() {
        use std::os::linux::net::SocketAddrExt as _;
        use std::os::unix::net::SocketAddr;

        let name = format!("helve-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let manager = UnixDatagram::bind_addr(&address).unwrap();
        manager.set_nonblocking(true).unwrap();
        ServiceNotifier::new(Some(format!("@{name}").into()), None).work();
        let mut buffer = [0; 64];
        assert_eq!(manager.recv(&mut buffer).unwrap(), "READY=1".len());
    }
}
