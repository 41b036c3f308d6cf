//! The order of events: those that follow from the journal leave in its order.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::AgentEvent;
use crate::event::projection::number_events;
use crate::journal::Timestamp;
use helve_core::support::lock::Mutex;

/// Passes the events of a run on, in order.
///
/// The turns of a run write to one journal, and a turn emits the events of an entry some time after the entry is
/// written. In between, another turn may emit the events of a later entry. They are held back: a reader that has seen
/// the events of an entry has seen those of all entries before it.
pub(super) struct EventOrder {
    sink: Arc<dyn Receiver>,
    /// What is held back; `None` if the turns of the run are not recorded, so that nothing ever is.
    queue: Option<Mutex<VecDeque<OrderedItem>>>,
}

/// The sink of a run. Unlike the call of a `dyn Fn`, its method takes the event without moving it into a tuple first, which
/// would copy it.
trait Receiver: Send + Sync {
    fn receive(&self, event: AgentEvent);
}

impl<F: Fn(AgentEvent) + Send + Sync> Receiver for F {
    #[inline]
    fn receive(&self, event: AgentEvent) {
        self(event);
    }
}

enum OrderedItem {
    /// An event that is in no journal.
    Live(AgentEvent),
    /// An entry, with its events once they are known.
    Entry(u64, Option<Vec<AgentEvent>>),
}

/// Entries that were recorded, whose events are emitted one entry after another. Entries that are left when this value
/// is dropped have no events.
pub(super) struct RecordedEntries {
    order: Arc<EventOrder>,
    at: Timestamp,
    /// The numbers of the entries whose events are to be emitted.
    left: std::ops::Range<u64>,
}

impl EventOrder {
    pub(super) fn new(sink: impl Fn(AgentEvent) + Send + Sync + 'static) -> Arc<Self> {
        let (sink, queue) = (Arc::new(sink), Some(Mutex::new(VecDeque::new())));
        Arc::new(Self { sink, queue })
    }

    /// Creates the order of a run whose turns are not recorded: every event is passed on at once.
    pub(super) fn unrecorded(sink: impl Fn(AgentEvent) + Send + Sync + 'static) -> Arc<Self> {
        let sink = Arc::new(sink);
        Arc::new(Self { sink, queue: None })
    }

    /// Passes an event on that is in no journal, after those that were emitted before it. The event is made where it
    /// goes, since it is large.
    #[inline]
    pub(super) fn send(&self, event: impl FnOnce() -> AgentEvent) {
        let Some(queue) = &self.queue else {
            return self.sink.receive(event());
        };
        let mut queue = queue.lock();
        match queue.is_empty() {
            true => self.sink.receive(event()),
            false => queue.push_back(OrderedItem::Live(event())),
        }
    }

    /// Announces entries that were written. The caller holds the session, so that entries are announced in order.
    pub(super) fn add_entries(
        self: &Arc<Self>,
        first: u64,
        count: u64,
        at: Timestamp,
    ) -> RecordedEntries {
        let left = first..first + count;
        let queued = left.clone().map(|number| OrderedItem::Entry(number, None));
        if let Some(queue) = &self.queue {
            queue.lock().extend(queued);
        }
        RecordedEntries {
            order: self.clone(),
            at,
            left,
        }
    }

    /// Passes on the events at the front of the queue that wait for nothing.
    fn complete(&self, number: u64, events: Vec<AgentEvent>) {
        let Some(queue) = &self.queue else {
            return events
                .into_iter()
                .for_each(|event| self.sink.receive(event));
        };
        let mut queue = queue.lock();
        for queued in queue.iter_mut() {
            if let OrderedItem::Entry(entry, waiting) = queued
                && *entry == number
            {
                *waiting = Some(events);
                break;
            }
        }
        while let Some(front) = queue.pop_front() {
            match front {
                OrderedItem::Live(event) => self.sink.receive(event),
                OrderedItem::Entry(_, Some(events)) => events
                    .into_iter()
                    .for_each(|event| self.sink.receive(event)),
                waiting @ OrderedItem::Entry(_, None) => {
                    queue.push_front(waiting);
                    return;
                }
            }
        }
    }
}

impl RecordedEntries {
    /// Emits the events that follow from the next entry, after an event that is in no journal: all have the time of the
    /// entry, and the last one has its number.
    pub(super) fn emit(&mut self, live: Option<AgentEvent>, mut events: Vec<AgentEvent>) {
        let Some(number) = self.left.next() else {
            return;
        };
        number_events(&mut events, number, self.at);
        if let Some(live) = live {
            events.insert(0, live);
        }
        self.order.complete(number, events);
    }
}

impl Drop for RecordedEntries {
    fn drop(&mut self) {
        for number in self.left.clone() {
            self.order.complete(number, Vec::new());
        }
    }
}
