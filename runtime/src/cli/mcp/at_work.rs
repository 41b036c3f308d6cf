//! The servers at work, on a thread of their own: they are there from one step of a command to the next, and what a server
//! says is heard while the program is busy.

use std::io;

use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::{oneshot, watch};

use crate::mcp::McpServers;
use crate::support::lock::Mutex;

/// How long the end of the servers may hold up the end of the program.
const LAST: Duration = Duration::from_secs(3);

/// The servers at work, until this is dropped.
#[derive(Debug)]
pub(in crate::cli) struct AtWork {
    servers: McpServers,
    handle: Handle,
    /// Whether each of them is there by now, or has failed.
    is_ready: watch::Receiver<bool>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
    told: Mutex<bool>,
}

impl AtWork {
    /// Begins to connect; nobody waits for it here.
    pub(in crate::cli) fn start(servers: McpServers) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (ready, is_ready) = watch::channel(false);
        let (stop, stopped) = oneshot::channel::<()>();
        let at_work = servers.clone();
        let work = async move {
            let connecting = at_work.clone();
            // Each server fails within its own time, and says itself why.
            tokio::spawn(async move {
                connecting.connect().await;
                let _ = ready.send(true);
            });
            let _ = stopped.await;
            let _ = tokio::time::timeout(LAST, at_work.close()).await;
        };
        let thread = thread::Builder::new().name("mcp".to_owned());
        let thread = thread.spawn(move || {
            runtime.block_on(work);
            runtime.shutdown_timeout(Duration::from_millis(100));
        })?;
        Ok(Self {
            servers,
            handle,
            is_ready,
            stop: Some(stop),
            thread: Some(thread),
            told: Mutex::new(false),
        })
    }

    pub(in crate::cli) fn servers(&self) -> &McpServers {
        &self.servers
    }

    /// Waits until every server is there or has failed.
    pub(in crate::cli) async fn ready(&self) {
        let mut is_ready = self.is_ready.clone();
        let _ = is_ready.wait_for(|is_ready| *is_ready).await;
    }

    /// Works with the servers where they are at work; `None` where that went wrong.
    pub(in crate::cli) async fn on<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        self.handle.spawn(work).await.ok()
    }

    /// Reports whether this is the first time that somebody asks.
    pub(super) fn is_first_telling(&self) -> bool {
        let mut told = self.told.lock();
        !std::mem::replace(&mut *told, true)
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
