//! A program of the user that listens at a port of the loopback.

use std::io::Read as _;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{io, thread};

/// Counts the connections that it accepts.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) port: u16,
    accepted: Arc<AtomicUsize>,
}

impl Listener {
    pub(crate) fn open() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let accepted = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&accepted);
        thread::spawn(move || {
            for stream in listener.incoming() {
                count.fetch_add(1, Ordering::Relaxed);
                // What a client waits for comes at once, and is nothing.
                if let Ok(mut stream) = stream {
                    let _ = stream.set_read_timeout(Some(Duration::from_millis(50)));
                    let _ = stream.read(&mut [0; 64]);
                }
            }
        });
        Ok(Self { port, accepted })
    }

    /// Returns how many connections were accepted.
    pub(crate) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::Relaxed)
    }
}
