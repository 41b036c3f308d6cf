//! A reader of a stream of events.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use futures_core::Stream;

use super::queue::Queue;
use crate::AgentEvent;

/// Reads a stream of [events](super::Events), as a [`Stream`] or, on a thread that may block, with
/// [`wait`](Self::wait).
pub struct EventReader {
    queue: Arc<Queue>,
}

impl EventReader {
    pub(super) fn new(queue: Arc<Queue>) -> Self {
        Self { queue }
    }

    /// Returns the next event; `None` when the stream has ended.
    pub async fn read(&mut self) -> Option<AgentEvent> {
        std::future::poll_fn(|context| self.queue.poll(context)).await
    }

    /// Returns the next event if it is available.
    pub fn try_read(&mut self) -> Option<AgentEvent> {
        self.queue.take()
    }

    /// Blocks the current thread until the next event; `None` when the stream has ended.
    pub fn wait(&mut self) -> Option<AgentEvent> {
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let context = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(event) = self.queue.poll(&context) {
                return event;
            }
            std::thread::park();
        }
    }

    /// Returns the approximate size of the unread events, in bytes.
    #[must_use]
    pub fn backlog_bytes(&self) -> usize {
        self.queue.bytes()
    }

    /// Returns the number of unread events.
    #[must_use]
    pub fn backlog_events(&self) -> usize {
        self.queue.events()
    }
}

impl Stream for EventReader {
    type Item = AgentEvent;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<AgentEvent>> {
        self.queue.poll(context)
    }
}

impl Drop for EventReader {
    fn drop(&mut self) {
        self.queue.drop_reader();
    }
}

impl std::fmt::Debug for EventReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventReader")
            .field("waiting", &self.backlog_events())
            .finish_non_exhaustive()
    }
}

/// A waker that unparks a thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
