//! A stream of events for any number of readers, with bounded memory.

mod event_size;
mod queue;
mod reader;

use std::fmt;
use std::sync::Arc;

pub use reader::EventReader;

use super::AgentEvent;
use helve_core::support::lock::Mutex;
use queue::Queue;

/// A stream of the events of an agent with any number of readers, each at its own speed.
///
/// Emitting an event never waits: each reader has its own [backlog](Backlog). Consecutive deltas are merged while the
/// reader has not read the first of them. If the backlog of a reader is full, the oldest events are dropped and
/// replaced by [`Lagged`](super::EventKind::Lagged). Questions, answers and ends are retained.
///
/// Clones refer to the same stream. The stream ends for its readers when the last clone and the last of its
/// [sinks](Self::sink) are dropped, or when it is [closed](Self::close).
///
/// ```
/// use futures_util::StreamExt;
/// use helve::ToolContext;
/// use helve::agent::{Agent, EventKind, Events};
/// use helve::model::ScriptedModel;
/// use helve::transcript::Message;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let events = Events::new();
/// let mut reader = events.reader();
/// let agent = Agent::new("main", ScriptedModel::new().say("Hello."));
/// let reading = tokio::spawn(async move {
///     let mut said = String::new();
///     while let Some(event) = reader.next().await {
///         if let EventKind::MessageDelta { text } = event.kind {
///             said.push_str(&text);
///         }
///     }
///     said
/// });
/// agent.run(vec![Message::user("Hi.")], &ToolContext::new(), events.sink()).await;
/// drop(events);
/// assert_eq!(reading.await.unwrap(), "Hello.");
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Events {
    hub: Arc<Hub>,
}

/// The readers. Dropping the hub ends the stream for them.
#[derive(Default)]
struct Hub {
    readers: Mutex<Readers>,
}

#[derive(Default)]
struct Readers {
    queues: Vec<Arc<Queue>>,
    closed: bool,
}

impl Events {
    /// Creates a stream without readers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a reader of the events from now on, with the default backlog.
    #[must_use]
    pub fn reader(&self) -> EventReader {
        self.reader_with(Backlog::default())
    }

    /// Adds a reader with the given backlog.
    #[must_use]
    pub fn reader_with(&self, backlog: Backlog) -> EventReader {
        let queue = Arc::new(Queue::new(backlog));
        let mut readers = self.hub.readers.lock();
        if readers.closed {
            queue.close();
        } else {
            readers.queues.push(queue.clone());
        }
        EventReader::new(queue)
    }

    /// Sends an event to all readers without waiting.
    pub fn emit(&self, event: AgentEvent) {
        let mut readers = self.hub.readers.lock();
        if readers.queues.is_empty() {
            return;
        }
        let event = Arc::new(event);
        // Queues whose reader was dropped are removed.
        readers.queues.retain(|queue| queue.push(event.clone()));
    }

    /// Returns the sink for the events of an agent: `agent.run(messages, &context, events.sink())`.
    pub fn sink(&self) -> impl Fn(AgentEvent) + Clone + Send + Sync + 'static {
        let events = self.clone();
        move |event| events.emit(event)
    }

    /// Ends the stream: readers read the queued events, and then the end. Later events are dropped.
    pub fn close(&self) {
        self.hub.close();
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("readers", &self.hub.readers.lock().queues.len())
            .finish()
    }
}

impl Hub {
    fn close(&self) {
        let mut readers = self.readers.lock();
        readers.closed = true;
        for queue in readers.queues.drain(..) {
            queue.close();
        }
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.close();
    }
}

/// The limits on the unread events of a reader, beyond which events are dropped.
///
/// Questions, answers and ends have a separate allowance of the same size. A single event that exceeds the limit is
/// queued alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backlog {
    /// The maximum number of events.
    pub events: usize,
    /// The approximate maximum total size of the events, in bytes.
    pub bytes: usize,
}

impl Default for Backlog {
    fn default() -> Self {
        Self::new(4_096, 4 * 1_024 * 1_024)
    }
}

impl Backlog {
    /// Creates limits from a number of events and a total size in bytes.
    #[must_use]
    pub const fn new(events: usize, bytes: usize) -> Self {
        Self { events, bytes }
    }
}
