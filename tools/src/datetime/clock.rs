//! What time it is, as the host says.

use std::time::SystemTime;

/// A clock; put one into the app's state to decide what the tools take for now.
///
/// ```
/// use std::sync::Arc;
/// use std::time::{Duration, SystemTime};
/// use helve::State;
/// use helve_tools::datetime::Clock;
///
/// struct Stopped;
///
/// impl Clock for Stopped {
///     fn now(&self) -> SystemTime {
///         SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)
///     }
/// }
///
/// let mut state = State::new();
/// state.insert_arc::<dyn Clock>(Arc::new(Stopped));
/// ```
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> SystemTime;
}

/// The clock of this machine, which stands in where the host has put none.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}
