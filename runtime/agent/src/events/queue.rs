//! The backlog of one reader.

use std::collections::VecDeque;
use std::sync::Arc;

use std::task::{Context, Poll, Waker};

use super::Backlog;
use super::event_size::{append_delta, estimated_bytes, is_retained};
use crate::{AgentEvent, EventKind};
use helve_core::support::lock::Mutex;
use helve_core::transcript::Origin;

/// The maximum size of a merged text, in bytes.
const MAX_MERGED_BYTES: usize = 16 * 1_024;

/// The unread events of one reader.
pub(super) struct Queue {
    state: Mutex<QueueState>,
}

/// The events in three queues, each in order: droppable events, retained events, and gaps.
///
/// The retained events divide the others into numbered segments. The oldest droppable event is therefore found at once,
/// however many retained events precede it, and missing events are reported at their position.
#[derive(Default)]
struct QueueState {
    backlog: Backlog,
    droppable: EventLane,
    retained: EventLane,
    gaps: VecDeque<Gap>,
    /// The number of the segment of the next event.
    segment: u64,
    waker: Option<Waker>,
    /// Whether the stream has ended.
    is_closed: bool,
    is_reader_dropped: bool,
}

#[derive(Default)]
struct EventLane {
    events: VecDeque<QueuedEvent>,
    bytes: usize,
}

struct QueuedEvent {
    event: Arc<AgentEvent>,
    /// The segment of the event; for a retained event, the segment that the event ends.
    segment: u64,
    bytes: usize,
    /// The number of events that are merged into this one.
    event_count: u64,
}

/// Dropped events at the beginning of the rest of a segment.
struct Gap {
    segment: u64,
    missed: u64,
    origin: Arc<Origin>,
}

impl Queue {
    pub(super) fn new(backlog: Backlog) -> Self {
        Self {
            state: Mutex::new(QueueState {
                backlog,
                ..QueueState::default()
            }),
        }
    }

    /// Adds an event. Returns `false` if the reader was dropped.
    pub(super) fn push(&self, event: Arc<AgentEvent>) -> bool {
        let mut state = self.state.lock();
        if state.is_reader_dropped {
            return false;
        }
        state.push(event);
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        true
    }

    pub(super) fn poll(&self, context: &Context<'_>) -> Poll<Option<AgentEvent>> {
        let mut state = self.state.lock();
        match state.take() {
            Some(event) => {
                // The lock is released before the event is copied, so that the sender does not wait for the copy.
                drop(state);
                Poll::Ready(Some(Arc::unwrap_or_clone(event)))
            }
            None if state.is_closed => Poll::Ready(None),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    pub(super) fn take(&self) -> Option<AgentEvent> {
        let event = self.state.lock().take()?;
        Some(Arc::unwrap_or_clone(event))
    }

    /// Marks the end of the stream.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Drops the unread events: the reader was dropped.
    pub(super) fn drop_reader(&self) {
        let mut state = self.state.lock();
        state.is_reader_dropped = true;
        state.droppable = EventLane::default();
        state.retained = EventLane::default();
        state.gaps = VecDeque::new();
    }

    pub(super) fn bytes(&self) -> usize {
        let state = self.state.lock();
        state.droppable.bytes + state.retained.bytes
    }

    pub(super) fn events(&self) -> usize {
        let state = self.state.lock();
        state.droppable.events.len() + state.retained.events.len() + state.gaps.len()
    }
}

impl QueueState {
    fn push(&mut self, event: Arc<AgentEvent>) {
        let kept = is_retained(&event.kind);
        if !kept && self.merge_into_last(&event) {
            self.drop_oldest();
            return;
        }
        let waiting = QueuedEvent {
            bytes: estimated_bytes(&event),
            segment: self.segment,
            event_count: 1,
            event,
        };
        if kept {
            self.segment += 1;
            self.retained.push(waiting);
            while self.retained.exceeds(self.backlog) {
                self.drop_oldest_retained();
            }
        } else {
            self.droppable.push(waiting);
            self.drop_oldest();
        }
    }

    /// Appends an event to the last one if both are pieces of the same text.
    fn merge_into_last(&mut self, event: &AgentEvent) -> bool {
        let most = MAX_MERGED_BYTES.min(self.backlog.bytes / 4);
        let stretch = self.segment;
        let Some(last) = self.droppable.events.back_mut() else {
            return false;
        };
        if last.segment != stretch || !append_delta(&mut last.event, event, most) {
            return false;
        }
        last.event_count += 1;
        let now = estimated_bytes(&last.event);
        self.droppable.bytes += now - last.bytes;
        last.bytes = now;
        true
    }

    /// Drops the oldest events beyond the limits, but never the newest, however large it is.
    fn drop_oldest(&mut self) {
        while self.droppable.exceeds(self.backlog) {
            if let Some(dropped) = self.droppable.pop() {
                self.add_gap(dropped.segment, dropped.event_count, &dropped.event.origin);
            }
        }
    }

    /// Drops the oldest retained event, with everything before it: a reader that leaves that many questions unread does
    /// not read at all.
    fn drop_oldest_retained(&mut self) {
        let Some(kept) = self.retained.pop() else {
            return;
        };
        let mut missed = kept.event_count;
        while let Some(dropped) = self.droppable.pop_through(kept.segment) {
            missed += dropped.event_count;
        }
        let is_before = |gap: &&Gap| gap.segment <= kept.segment + 1;
        while let Some(gap) = self.gaps.front().filter(is_before) {
            missed += gap.missed;
            self.gaps.pop_front();
        }
        self.gaps.push_front(Gap {
            segment: kept.segment + 1,
            missed,
            origin: Arc::clone(&kept.event.origin),
        });
    }

    fn add_gap(&mut self, stretch: u64, missed: u64, origin: &Arc<Origin>) {
        match self.gaps.back_mut().filter(|gap| gap.segment == stretch) {
            Some(gap) => gap.missed += missed,
            None => self.gaps.push_back(Gap {
                segment: stretch,
                missed,
                origin: Arc::clone(origin),
            }),
        }
    }

    /// Takes the next event: of a segment, first the gap, then the droppable events, then the retained event that ends
    /// it.
    fn take(&mut self) -> Option<Arc<AgentEvent>> {
        let gap = self.gaps.front().map(|gap| (gap.segment, 0));
        let droppable = self.droppable.next_segment().map(|stretch| (stretch, 1));
        let kept = self.retained.next_segment().map(|stretch| (stretch, 2));
        let next = [gap, droppable, kept].into_iter().flatten().min()?;
        Some(match next.1 {
            0 => {
                let Gap { missed, origin, .. } = self.gaps.pop_front()?;
                Arc::new(AgentEvent::new(origin, EventKind::Lagged { missed }))
            }
            1 => self.droppable.pop()?.event,
            _ => self.retained.pop()?.event,
        })
    }
}

impl EventLane {
    fn push(&mut self, waiting: QueuedEvent) {
        self.bytes += waiting.bytes;
        self.events.push_back(waiting);
    }

    fn pop(&mut self) -> Option<QueuedEvent> {
        let waiting = self.events.pop_front()?;
        self.bytes -= waiting.bytes;
        Some(waiting)
    }

    /// Takes the oldest event if its segment is at most `last`.
    fn pop_through(&mut self, last: u64) -> Option<QueuedEvent> {
        self.next_segment().filter(|next| *next <= last)?;
        self.pop()
    }

    /// Returns the segment of the oldest event.
    fn next_segment(&self) -> Option<u64> {
        self.events.front().map(|waiting| waiting.segment)
    }

    /// Reports whether the events exceed the limits; a single event never does.
    fn exceeds(&self, backlog: Backlog) -> bool {
        let count = self.events.len();
        count > 1 && (count > backlog.events || self.bytes > backlog.bytes)
    }
}
