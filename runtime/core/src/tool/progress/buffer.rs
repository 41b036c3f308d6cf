//! A buffer for the reports of one call, so that frequent reports do not overload the listener.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::{Progress, ProgressSettings, ProgressSink, ProgressUpdate};
use crate::support::lock::Mutex;

/// Buffers the reports of one call, and sends them to a sink.
///
/// Pieces of one stream within the [interval](ProgressSettings::flush_interval_ms) are sent as one, and so are steps
/// that only count; messages are sent immediately. Reports are sent in order. Reports that are not sent when the
/// buffer is dropped are lost, and later reports are dropped.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::tool::{ProgressBuffer, ProgressSettings, ProgressUpdate};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let (told, heard) = std::sync::mpsc::channel();
/// let buffer = ProgressBuffer::new(&ProgressSettings::default(), move |update: ProgressUpdate| {
///     let _ = told.send(update.text);
/// });
/// let progress = buffer.progress();
/// buffer
///     .run_with_flush(async {
///         progress.stdout("one ");
///         progress.stdout("two");
///     })
///     .await;
/// buffer.close();
/// assert_eq!(heard.try_iter().collect::<Vec<_>>(), ["one two", ""]);
/// # }
/// ```
pub struct ProgressBuffer {
    shared: Option<Arc<dyn BufferSink>>,
}

/// The buffer of a call as the sink of its reports.
trait BufferSink: ProgressSink {
    fn buffer(&self) -> &BufferShared;
}

struct BufferShared<S: ?Sized = dyn ProgressSink> {
    settings: ProgressSettings,
    state: Mutex<BufferState>,
    /// Whether anything was reported.
    has_reports: AtomicBool,
    /// Signalled when a report is buffered that must be sent later.
    notify: Notify,
    sink: S,
}

#[derive(Default)]
struct BufferState {
    /// The buffered reports, in the order in which they began.
    pending: VecDeque<ProgressUpdate>,
    /// The time when the first report is due.
    due: Option<Instant>,
    /// Whether the buffer is closed.
    is_closed: bool,
}

impl ProgressBuffer {
    /// Creates a buffer for a call; if the settings disable progress, reports are dropped.
    pub fn new(settings: &ProgressSettings, sink: impl ProgressSink + 'static) -> Self {
        if !settings.enabled {
            return Self { shared: None };
        }
        Self {
            shared: Some(Arc::new(BufferShared {
                settings: settings.clone(),
                state: Mutex::default(),
                has_reports: AtomicBool::new(false),
                notify: Notify::new(),
                sink,
            })),
        }
    }

    /// Returns the `Progress` of the call.
    #[must_use]
    pub fn progress(&self) -> Progress {
        match &self.shared {
            Some(shared) => Progress::from_shared(shared.clone()),
            None => Progress::default(),
        }
    }

    /// Runs a future, and sends buffered reports meanwhile when they are due.
    pub async fn run_with_flush<T>(&self, work: impl Future<Output = T>) -> T {
        let Some(shared) = self.buffer() else {
            return work.await;
        };
        let (mut work, mut telling) = (pin!(work), None);
        poll_fn(|context| {
            let done = work.as_mut().poll(context);
            if done.is_pending() {
                // Created here, since most work is ready immediately.
                let telling = telling.get_or_insert_with(|| Box::pin(shared.flush_when_due()));
                // The future never completes.
                let _: Poll<()> = telling.as_mut().poll(context);
            }
            done
        })
        .await
    }

    /// Sends the buffered reports and the final report, if there were any reports; a second call does nothing.
    pub fn close(&self) {
        if let Some(shared) = self.buffer()
            && shared.has_reports.load(Ordering::Acquire)
        {
            shared.close(&mut shared.state.lock());
        }
    }

    /// Returns the number of buffered reports.
    #[must_use]
    pub fn pending(&self) -> usize {
        let shared = self.buffer();
        shared.map_or(0, |shared| shared.state.lock().pending.len())
    }

    fn buffer(&self) -> Option<&BufferShared> {
        self.shared.as_ref().map(|shared| shared.buffer())
    }
}

impl Drop for ProgressBuffer {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared
            // If only this buffer is left, nothing can be reported.
            && Arc::strong_count(shared) > 1
        {
            let mut state = shared.buffer().state.lock();
            state.is_closed = true;
            state.pending.clear();
        }
    }
}

impl std::fmt::Debug for ProgressBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProgressBuffer")
            .field("waiting", &self.pending())
            .finish_non_exhaustive()
    }
}

impl<S: ProgressSink + 'static> BufferSink for BufferShared<S> {
    fn buffer(&self) -> &BufferShared {
        self
    }
}

impl<S: ProgressSink> ProgressSink for BufferShared<S> {
    fn report(&self, update: ProgressUpdate) {
        let mut state = self.state.lock();
        if state.is_closed {
            return;
        }
        self.has_reports.store(true, Ordering::Release);
        if update.closed {
            self.close(&mut state);
        } else if update.stream.is_some() || update.is_counter() {
            self.enqueue(&mut state, update);
        } else {
            self.flush(&mut state);
            self.sink.report(update);
        }
    }
}

impl<S: ProgressSink + ?Sized> BufferShared<S> {
    /// Adds a report to the buffer, and flushes the buffer if it is full or a report is due.
    fn enqueue(&self, state: &mut BufferState, update: ProgressUpdate) {
        let same = |waiting: &&mut ProgressUpdate| {
            waiting.stream == update.stream && waiting.audience == update.audience
        };
        let size = match state.pending.iter_mut().find(same) {
            Some(waiting) if update.stream.is_some() => {
                waiting.text.push_str(&update.text);
                waiting.text.len()
            }
            Some(waiting) => {
                *waiting = update;
                0
            }
            None => {
                let size = update.text.len();
                state.pending.push_back(update);
                size
            }
        };
        if self.settings.flush_interval_ms == 0 || size >= self.settings.max_bytes {
            return self.flush(state);
        }
        match state.due {
            // The task that sends due reports does not run while the tool blocks its thread.
            Some(due) if due <= Instant::now() => self.flush(state),
            Some(_) => {}
            None => {
                state.due = Some(Instant::now() + self.settings.interval());
                self.notify.notify_one();
            }
        }
    }

    /// Sends the buffered reports under the lock, so that they stay in order.
    fn flush(&self, state: &mut BufferState) {
        state.due = None;
        for update in state.pending.drain(..) {
            self.sink.report(update);
        }
    }

    fn close(&self, state: &mut BufferState) {
        if std::mem::replace(&mut state.is_closed, true) {
            return;
        }
        self.flush(state);
        self.sink.report(ProgressUpdate::closed());
    }

    /// Sends the buffered reports when they are due, for as long as the future is polled.
    async fn flush_when_due(&self) {
        loop {
            let due = self.state.lock().due;
            match due {
                None => self.notify.notified().await,
                Some(due) if due > Instant::now() => tokio::time::sleep_until(due).await,
                Some(_) => self.flush(&mut self.state.lock()),
            }
        }
    }
}
