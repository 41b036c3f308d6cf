//! One stream of events, any number of readers, bounded memory.

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
/// Telling never waits: each reader has a [backlog](Backlog) of its own. Deltas that follow one another are sent as one
/// to a reader that has not come to the first; of a reader whose backlog is full, the oldest events are dropped and
/// [`Lagged`](super::EventKind::Lagged) stands in their place. Questions, answers and ends are kept.
///
/// Clones are the same stream, which ends for its readers when the last of them and of their [sinks](Self::sink) is
/// gone, or when it is [closed](Self::close).
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

/// The readers; they get the end when it is dropped.
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

    /// Adds a reader, which reads the events from now on, with the usual backlog.
    #[must_use]
    pub fn reader(&self) -> EventReader {
        self.reader_with(Backlog::default())
    }

    /// Adds a reader with a backlog of its own.
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
        // A reader that is gone is forgotten on the way.
        readers.queues.retain(|queue| queue.push(event.clone()));
    }

    /// Returns the sink of an agent's events: `agent.run(messages, &context, events.sink())`.
    pub fn sink(&self) -> impl Fn(AgentEvent) + Clone + Send + Sync + 'static {
        let events = self.clone();
        move |event| events.emit(event)
    }

    /// Ends the stream: readers read what they have, and then its end. Later events are dropped.
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

/// How far a reader may be behind before events are dropped for it.
///
/// Questions, answers and ends do not count: they are kept, up to as much again. An event that is greater than all of
/// it is held alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backlog {
    /// How many events.
    pub events: usize,
    /// How many bytes they have together, about.
    pub bytes: usize,
}

impl Default for Backlog {
    fn default() -> Self {
        Self::new(4_096, 4 * 1_024 * 1_024)
    }
}

impl Backlog {
    /// Sets how many events, and how many bytes together.
    #[must_use]
    pub const fn new(events: usize, bytes: usize) -> Self {
        Self { events, bytes }
    }
}
