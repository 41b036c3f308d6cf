//! What goes on in a turn at the same time.

use std::future::poll_fn;
use std::task::{Context, Poll};

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;

use super::waiting::Happening;

/// What is going on in a turn; each ends in what happened.
///
/// Most of the time that is one thing: the model replies, or one call runs. It is polled where it is, without the queue and
/// the wakers by which a set finds out which of many can go on.
#[derive(Default)]
pub(super) struct InFlight<'a> {
    first: Option<BoxFuture<'a, Happening>>,
    others: Option<FuturesUnordered<BoxFuture<'a, Happening>>>,
}

impl<'a> InFlight<'a> {
    /// Adds something that begins when it is waited for.
    pub(super) fn push(&mut self, work: BoxFuture<'a, Happening>) {
        if self.first.is_none() {
            self.first = Some(work);
        } else {
            self.others
                .get_or_insert_with(FuturesUnordered::new)
                .push(work);
        }
    }

    /// Reports whether nothing is going on.
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none() && self.others.as_ref().is_none_or(FuturesUnordered::is_empty)
    }

    /// Drops all that is going on.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Waits for the next thing that happens; `None` where nothing is going on.
    pub(super) async fn next(&mut self) -> Option<Happening> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// Polls what is going on once, and leaves in `next` what happened, if anything did.
    pub(super) async fn poll_once(&mut self, next: &mut Option<Happening>) {
        poll_fn(|context| {
            if let Poll::Ready(happened) = self.poll_next(context) {
                *next = happened;
            }
            Poll::Ready(())
        })
        .await;
    }

    #[inline]
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Happening>> {
        if let Some(first) = &mut self.first
            && let Poll::Ready(happening) = first.as_mut().poll(context)
        {
            self.first = None;
            return Poll::Ready(Some(happening));
        }
        let others = match &mut self.others {
            Some(others) => others.poll_next_unpin(context),
            None => Poll::Ready(None),
        };
        match others {
            Poll::Ready(None) if self.first.is_some() => Poll::Pending,
            others => others,
        }
    }
}
