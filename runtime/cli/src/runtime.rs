//! The asynchronous runtime of the process.

use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};

/// The maximum time for which cancelled blocking tasks may delay the exit of the program.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(100);

/// The runtime of the process. It is built for the first future, so that a command without futures does not build one.
#[derive(Debug)]
pub(super) struct LazyRuntime {
    /// Whether there is one thread per processor, and not only the thread that waits for a future.
    is_multi_threaded: bool,
    runtime: OnceLock<Runtime>,
}

impl LazyRuntime {
    pub(super) const fn new(is_multi_threaded: bool) -> Self {
        Self {
            is_multi_threaded,
            runtime: OnceLock::new(),
        }
    }

    /// Creates a future and runs it to completion. If the program was started within a runtime, the future runs on
    /// another thread, since a thread that runs tasks must not block.
    pub(super) fn block_on<F: Future>(
        &self,
        make: impl FnOnce() -> F + Send,
    ) -> io::Result<F::Output>
    where
        F::Output: Send,
    {
        let runtime = self.get()?;
        Ok(run_blocking(|| runtime.block_on(make())))
    }

    #[cfg(feature = "mcp")]
    pub(super) fn handle(&self) -> io::Result<Handle> {
        self.get().map(|runtime| runtime.handle().clone())
    }

    fn get(&self) -> io::Result<&Runtime> {
        if let Some(runtime) = self.runtime.get() {
            return Ok(runtime);
        }
        let mut builder = if self.is_multi_threaded {
            Builder::new_multi_thread()
        } else {
            Builder::new_current_thread()
        };
        let built = builder.enable_all().build()?;
        Ok(self.runtime.get_or_init(|| built))
    }
}

impl Drop for LazyRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            run_blocking(|| runtime.shutdown_timeout(SHUTDOWN_TIMEOUT));
        }
    }
}

/// Calls a function that blocks, on another thread if this thread runs the tasks of a runtime.
fn run_blocking<T: Send>(block: impl FnOnce() -> T + Send) -> T {
    if Handle::try_current().is_err() {
        return block();
    }
    std::thread::scope(|scope| match scope.spawn(block).join() {
        Ok(output) => output,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}
