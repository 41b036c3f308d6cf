//! The concurrent work of a turn.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll};

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;

use super::driver_event::DriverEvent;

/// The work that is running in a turn; each piece of work ends in an event.
///
/// Usually there is one piece of work: the model replies, or one call runs. It is polled directly, without the queue
/// and the wakers with which a [`FuturesUnordered`] finds the work that can make progress.
#[derive(Default)]
pub(super) struct InFlight<'a> {
    first: Option<BoxFuture<'a, DriverEvent>>,
    others: Option<FuturesUnordered<BoxFuture<'a, DriverEvent>>>,
    /// The events that occurred [meanwhile](Self::meanwhile), which are not handled yet.
    pending: VecDeque<DriverEvent>,
}

impl<'a> InFlight<'a> {
    /// Adds a piece of work, which begins when it is polled.
    pub(super) fn push(&mut self, work: BoxFuture<'a, DriverEvent>) {
        if self.first.is_none() {
            self.first = Some(work);
        } else {
            self.others
                .get_or_insert_with(FuturesUnordered::new)
                .push(work);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none() && self.others.as_ref().is_none_or(FuturesUnordered::is_empty)
    }

    /// Drops all work and all pending events.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes the first event that occurred [meanwhile](Self::meanwhile).
    pub(super) fn pop_pending(&mut self) -> Option<DriverEvent> {
        self.pending.pop_front()
    }

    /// Awaits a future while the work in flight runs on.
    ///
    /// A delegate writes to the same session: if it were not polled, it would keep its place in the queue for the lock.
    pub(super) async fn drive_while<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                event = poll_fn(|context| self.poll_next(context)), if !self.is_empty() => {
                    self.pending.extend(event);
                }
            }
        }
    }

    /// Waits for the next event; `None` if no work is running.
    pub(super) async fn next(&mut self) -> Option<DriverEvent> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// Polls the work once, and puts the event into `next` if there is one.
    pub(super) async fn poll_once(&mut self, next: &mut Option<DriverEvent>) {
        poll_fn(|context| {
            let _: Poll<()> = self.poll_into(context, next);
            Poll::Ready(())
        })
        .await;
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<DriverEvent>> {
        let mut next = None;
        self.poll_into(context, &mut next).map(|()| next)
    }

    /// Puts the next event into `next`: an event is large, and each function in between would copy it.
    #[inline]
    fn poll_into(&mut self, context: &mut Context<'_>, next: &mut Option<DriverEvent>) -> Poll<()> {
        if let Some(first) = &mut self.first
            && let Poll::Ready(event) = first.as_mut().poll(context)
        {
            *next = Some(event);
            self.first = None;
            return Poll::Ready(());
        }
        if let Some(others) = &mut self.others
            && let Poll::Ready(Some(event)) = others.poll_next_unpin(context)
        {
            *next = Some(event);
            return Poll::Ready(());
        }
        match self.is_empty() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }
}
