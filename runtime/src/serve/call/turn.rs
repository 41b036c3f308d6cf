//! Waiting for one's turn: tools that run alone, and calls of which there are too many at once.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, OwnedSemaphorePermit};

use crate::serve::session::Session;

/// How long a call waits behind one whose client has to come back, and perhaps never does.
const BEHIND_STALLED: Duration = Duration::from_secs(30);

/// The turn of a call; it ends when this is dropped.
pub(super) struct Turn {
    _order: Order,
    _running: Option<OwnedSemaphorePermit>,
}

/// Which other calls of the session run meanwhile.
enum Order {
    /// Those that run beside others.
    Beside { _guard: OwnedRwLockReadGuard<()> },
    /// None.
    Alone { _guard: OwnedRwLockWriteGuard<()> },
}

/// Waits until a call may run; `None` where it would wait behind a call that waits for the client itself.
pub(super) async fn turn(session: &Session, alone: bool) -> Option<Turn> {
    let order = match in_order_at_once(session, alone) {
        Some(order) => order,
        None => tokio::select! {
            order = in_order(session, alone) => order,
            () = stalled(session) => return None,
        },
    };
    // It is closed by nobody.
    let running = Arc::clone(&session.house.running).acquire_owned().await;
    Some(Turn {
        _order: order,
        _running: running.ok(),
    })
}

fn in_order_at_once(session: &Session, alone: bool) -> Option<Order> {
    let order = Arc::clone(&session.order);
    match alone {
        true => order
            .try_write_owned()
            .ok()
            .map(|guard| Order::Alone { _guard: guard }),
        false => order
            .try_read_owned()
            .ok()
            .map(|guard| Order::Beside { _guard: guard }),
    }
}

async fn in_order(session: &Session, alone: bool) -> Order {
    let order = Arc::clone(&session.order);
    match alone {
        true => Order::Alone {
            _guard: order.write_owned().await,
        },
        false => Order::Beside {
            _guard: order.read_owned().await,
        },
    }
}

/// Waits until it is plain that the call which holds the order does so while it waits for the client.
async fn stalled(session: &Session) {
    loop {
        tokio::time::sleep(BEHIND_STALLED).await;
        if session.stalled.load(Ordering::Relaxed) > 0 {
            return;
        }
    }
}
