//! The local driver of a turn as whoever watches it sees it: events and their readers, NDJSON, progress, spans, what is
//! stopped and how fast.

#![allow(
    unsafe_code,
    clippy::unwrap_used,
    reason = "tests panic, and linkme blames its sections on the crate that declares the slice"
)]

// The tools of these tests are written with the public macro, whose expansion says `::helve::…`.
#[cfg(feature = "shell")]
mod analysed;
mod cancelling;
mod event_readers;
mod ndjson;
mod progress;
mod prompts;
mod replies;
mod spans;
mod tiers;

use std::sync::{Arc, Mutex, PoisonError};

use helve::agent::AgentEvent;

/// Keeps what an agent tells.
#[derive(Clone, Default)]
struct EventLog(Arc<Mutex<Vec<AgentEvent>>>);

impl EventLog {
    fn listener(&self) -> impl Fn(AgentEvent) + Send + Sync + 'static {
        let told = self.0.clone();
        move |event| {
            told.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(event)
        }
    }

    fn events(&self) -> Vec<AgentEvent> {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.clone()
    }
}
