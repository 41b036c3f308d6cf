//! The backlog of one reader.

use std::collections::VecDeque;
use std::sync::Arc;

use std::task::{Context, Poll, Waker};

use super::backlog::Backlog;
use super::weight::{append, is_kept, weight};
use crate::agent::{AgentEvent, EventKind};
use crate::support::lock::Mutex;
use crate::transcript::Origin;

/// How long a text grows by what follows it.
const LONGEST_TEXT: usize = 16 * 1_024;

/// What waits for one reader.
pub(super) struct Queue {
    state: Mutex<State>,
}

/// The events in three lines, each in its order.
///
/// The events that are kept part the others into stretches, which are numbered; so the oldest that may be dropped is
/// found at once, however many are kept before it, and what is missing is told where it is missing.
struct State {
    backlog: Backlog,
    droppable: Line,
    kept: Line,
    gaps: VecDeque<Gap>,
    /// The number of the stretch that the next event is in.
    stretch: u64,
    waker: Option<Waker>,
    /// Whether nothing follows.
    ended: bool,
    /// Whether the reader is gone.
    left: bool,
}

#[derive(Default)]
struct Line {
    events: VecDeque<Waiting>,
    bytes: usize,
}

struct Waiting {
    event: Arc<AgentEvent>,
    /// The stretch that it is in; for one that is kept, the stretch that it ends.
    stretch: u64,
    weight: usize,
    /// How many events were told that are in this one.
    told: u64,
}

/// Events that are missing at the beginning of what is left of a stretch.
struct Gap {
    stretch: u64,
    missed: u64,
    origin: Arc<Origin>,
}

impl Queue {
    pub(super) fn new(backlog: Backlog) -> Self {
        Self {
            state: Mutex::new(State {
                backlog,
                droppable: Line::default(),
                kept: Line::default(),
                gaps: VecDeque::new(),
                stretch: 0,
                waker: None,
                ended: false,
                left: false,
            }),
        }
    }

    /// Adds an event; `false` where the reader is gone.
    pub(super) fn push(&self, event: Arc<AgentEvent>) -> bool {
        let mut state = self.state.lock();
        if state.left {
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
                // Whoever tells does not wait for a copy.
                drop(state);
                Poll::Ready(Some(Arc::unwrap_or_clone(event)))
            }
            None if state.ended => Poll::Ready(None),
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

    /// Says that nothing follows.
    pub(super) fn end(&self) {
        let mut state = self.state.lock();
        state.ended = true;
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Forgets what waits: the reader is gone.
    pub(super) fn leave(&self) {
        let mut state = self.state.lock();
        state.left = true;
        state.droppable = Line::default();
        state.kept = Line::default();
        state.gaps = VecDeque::new();
    }

    pub(super) fn bytes(&self) -> usize {
        let state = self.state.lock();
        state.droppable.bytes + state.kept.bytes
    }

    pub(super) fn events(&self) -> usize {
        let state = self.state.lock();
        state.droppable.events.len() + state.kept.events.len() + state.gaps.len()
    }
}

impl State {
    fn push(&mut self, event: Arc<AgentEvent>) {
        let kept = is_kept(&event.kind);
        if !kept && self.grow(&event) {
            self.drop_oldest();
            return;
        }
        let waiting = Waiting {
            weight: weight(&event),
            stretch: self.stretch,
            told: 1,
            event,
        };
        if kept {
            self.stretch += 1;
            self.kept.push(waiting);
            while self.kept.is_over(self.backlog) {
                self.drop_kept();
            }
        } else {
            self.droppable.push(waiting);
            self.drop_oldest();
        }
    }

    /// Lets the last event grow by one that goes on with it.
    fn grow(&mut self, event: &AgentEvent) -> bool {
        let most = LONGEST_TEXT.min(self.backlog.bytes / 4);
        let stretch = self.stretch;
        let Some(last) = self.droppable.events.back_mut() else {
            return false;
        };
        if last.stretch != stretch {
            return false;
        }
        if !append(&mut last.event, event, most) {
            return false;
        }
        last.told += 1;
        let now = weight(&last.event);
        self.droppable.bytes += now - last.weight;
        last.weight = now;
        true
    }

    /// Drops the oldest events that are too many; never the newest, however great it is.
    fn drop_oldest(&mut self) {
        while self.droppable.is_over(self.backlog) {
            if let Some(dropped) = self.droppable.pop() {
                self.miss(dropped.stretch, dropped.told, &dropped.event.origin);
            }
        }
    }

    /// Drops the oldest event that is kept, with everything before it: whoever does not read so many questions does not
    /// read at all.
    fn drop_kept(&mut self) {
        let Some(kept) = self.kept.pop() else { return };
        let mut missed = kept.told;
        while self
            .droppable
            .next()
            .is_some_and(|next| next <= kept.stretch)
        {
            missed += self.droppable.pop().map_or(0, |dropped| dropped.told);
        }
        while self
            .gaps
            .front()
            .is_some_and(|gap| gap.stretch <= kept.stretch + 1)
        {
            missed += self.gaps.pop_front().map_or(0, |gap| gap.missed);
        }
        self.gaps.push_front(Gap {
            stretch: kept.stretch + 1,
            missed,
            origin: Arc::clone(&kept.event.origin),
        });
    }

    fn miss(&mut self, stretch: u64, missed: u64, origin: &Arc<Origin>) {
        match self.gaps.back_mut().filter(|gap| gap.stretch == stretch) {
            Some(gap) => gap.missed += missed,
            None => self.gaps.push_back(Gap {
                stretch,
                missed,
                origin: Arc::clone(origin),
            }),
        }
    }

    /// Takes what is told next: of a stretch first what is missing, then what is there, then what ends it.
    fn take(&mut self) -> Option<Arc<AgentEvent>> {
        let gap = self.gaps.front().map(|gap| (gap.stretch, 0));
        let droppable = self.droppable.next().map(|stretch| (stretch, 1));
        let kept = self.kept.next().map(|stretch| (stretch, 2));
        let next = [gap, droppable, kept].into_iter().flatten().min()?;
        Some(match next.1 {
            0 => {
                let Gap { missed, origin, .. } = self.gaps.pop_front()?;
                Arc::new(AgentEvent::new(origin, EventKind::Lagged { missed }))
            }
            1 => self.droppable.pop()?.event,
            _ => self.kept.pop()?.event,
        })
    }
}

impl Line {
    fn push(&mut self, waiting: Waiting) {
        self.bytes += waiting.weight;
        self.events.push_back(waiting);
    }

    fn pop(&mut self) -> Option<Waiting> {
        let waiting = self.events.pop_front()?;
        self.bytes -= waiting.weight;
        Some(waiting)
    }

    /// Returns the stretch of the oldest.
    fn next(&self) -> Option<u64> {
        self.events.front().map(|waiting| waiting.stretch)
    }

    /// Reports whether it is more than it may be; one event always may.
    fn is_over(&self, backlog: Backlog) -> bool {
        let count = self.events.len();
        count > 1 && (count > backlog.events || self.bytes > backlog.bytes)
    }
}
