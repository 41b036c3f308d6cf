//! What the connections of one principal have together: how many calls there are, and the session of requests that come
//! without a connection.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::Server;
use super::builder::Limits;
use super::session::Session;
use crate::support::lock::Mutex;
use crate::tool::Principal;

/// How many principals are remembered before those that have gone are forgotten.
const MANY: usize = 1_024;

/// How long a session without a connection is kept for a principal that does nothing.
const IDLE: Duration = Duration::from_secs(3_600);

/// The principals that are being served, or were lately.
pub(super) struct Houses {
    limits: Limits,
    rooms: Mutex<HashMap<Principal, Room>>,
}

struct Room {
    house: Arc<House>,
    /// The session of requests that come without a connection.
    shared: Option<Arc<Session>>,
    used: Instant,
}

/// What one principal has at once.
pub(super) struct House {
    pub(super) principal: Principal,
    /// One permit for each call that may run.
    pub(super) running: Arc<Semaphore>,
    calls: Count,
    parked: Count,
}

/// Counts up to a limit.
struct Count {
    now: AtomicUsize,
    most: usize,
}

/// One place that is taken until this is dropped.
pub(super) struct Place {
    house: Arc<House>,
    of: fn(&House) -> &Count,
}

impl Houses {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            rooms: Mutex::default(),
        }
    }

    /// Returns what the connections of a principal have together.
    pub(super) fn of(&self, principal: &Principal) -> Arc<House> {
        let mut rooms = self.rooms.lock();
        self.room(&mut rooms, principal).house.clone()
    }

    /// Returns the session of requests that come without a connection; one that nobody used for long is begun anew.
    pub(super) fn shared(&self, server: &Server, principal: &Principal) -> Arc<Session> {
        let mut rooms = self.rooms.lock();
        let room = self.room(&mut rooms, principal);
        let now = Instant::now();
        let is_used = room.used + IDLE > now;
        room.used = now;
        match &room.shared {
            Some(session) if is_used || Arc::strong_count(session) > 1 => session.clone(),
            _ => {
                let session = Session::begin(server, room.house.clone());
                room.shared.insert(session).clone()
            }
        }
    }

    fn room<'r>(
        &self,
        rooms: &'r mut HashMap<Principal, Room>,
        principal: &Principal,
    ) -> &'r mut Room {
        if rooms.len() >= MANY && !rooms.contains_key(principal) {
            let now = Instant::now();
            rooms.retain(|_, room| room.used + IDLE > now || Arc::strong_count(&room.house) > 2);
        }
        rooms.entry(principal.clone()).or_insert_with(|| Room {
            house: Arc::new(House::new(principal.clone(), self.limits)),
            shared: None,
            used: Instant::now(),
        })
    }
}

impl House {
    fn new(principal: Principal, limits: Limits) -> Self {
        Self {
            principal,
            running: Arc::new(Semaphore::new(limits.running)),
            calls: Count::up_to(limits.calls),
            parked: Count::up_to(limits.parked),
        }
    }

    /// Takes a place for a call; `None` where there are too many.
    pub(super) fn enter(self: &Arc<Self>) -> Option<Place> {
        self.take(|house| &house.calls)
    }

    /// Takes a place for a call that waits for the client to come back; `None` where there are too many.
    pub(super) fn park(self: &Arc<Self>) -> Option<Place> {
        self.take(|house| &house.parked)
    }

    fn take(self: &Arc<Self>, of: fn(&Self) -> &Count) -> Option<Place> {
        let count = of(self);
        let more = |now: usize| (now < count.most).then_some(now + 1);
        let taken = count
            .now
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        taken.ok().map(|_| Place {
            house: self.clone(),
            of,
        })
    }
}

impl Count {
    fn up_to(most: usize) -> Self {
        Self {
            now: AtomicUsize::new(0),
            most,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        (self.of)(&self.house).now.fetch_sub(1, Ordering::Relaxed);
    }
}
