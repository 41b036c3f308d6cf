//! The backlog of one reader.

use std::collections::VecDeque;
use std::sync::Arc;

use std::task::{Context, Poll, Waker};

use super::Backlog;
use super::event_size::{append_delta, estimated_bytes, is_retained};
use crate::{AgentEvent, EventKind};
use helve_core::support::lock::Mutex;
use helve_core::transcript::Origin;

/// How long a text grows by what follows it.
const MAX_MERGED_BYTES: usize = 16 * 1_024;

/// What waits for one reader.
pub(super) struct Queue {
    state: Mutex<QueueState>,
}

/// The events in three lines, each in its order.
///
/// The events that are kept part the others into stretches, which are numbered; so the oldest that may be dropped is
/// found at once, however many are kept before it, and what is missing is reported where it is missing.
#[derive(Default)]
struct QueueState {
    backlog: Backlog,
    droppable: EventLane,
    retained: EventLane,
    gaps: VecDeque<Gap>,
    /// The number of the stretch that the next event is in.
    segment: u64,
    waker: Option<Waker>,
    /// Whether nothing follows.
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
    /// The stretch that it is in; for one that is kept, the stretch that it ends.
    segment: u64,
    bytes: usize,
    /// The number of events that are merged into this one.
    event_count: u64,
}

/// Events that are missing at the beginning of what is left of a stretch.
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

    /// Adds an event; `false` where the reader is gone.
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
                // The sender does not wait for a copy.
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

    /// Forgets what waits: the reader is gone.
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

    /// Lets the last event grow by one that goes on with it.
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

    /// Drops the oldest events that are too many; never the newest, however great it is.
    fn drop_oldest(&mut self) {
        while self.droppable.exceeds(self.backlog) {
            if let Some(dropped) = self.droppable.pop() {
                self.add_gap(dropped.segment, dropped.event_count, &dropped.event.origin);
            }
        }
    }

    /// Drops the oldest event that is kept, with everything before it: a reader that leaves so many questions unread
    /// does not read at all.
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

    /// Takes the next event to send: of a stretch first what is missing, then what is there, then what ends it.
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

    /// Takes the oldest if it is in no later stretch than this.
    fn pop_through(&mut self, last: u64) -> Option<QueuedEvent> {
        self.next_segment().filter(|next| *next <= last)?;
        self.pop()
    }

    /// Returns the stretch of the oldest.
    fn next_segment(&self) -> Option<u64> {
        self.events.front().map(|waiting| waiting.segment)
    }

    /// Reports whether it is more than it may be; one event always may.
    fn exceeds(&self, backlog: Backlog) -> bool {
        let count = self.events.len();
        count > 1 && (count > backlog.events || self.bytes > backlog.bytes)
    }
}
