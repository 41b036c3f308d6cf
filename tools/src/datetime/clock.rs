//! The clock of the date and time tool, which the host provides.

use std::time::SystemTime;

/// A clock. A clock in the app's state determines the current time of the tools.
///
/// ```
/// # mod helve { pub use ::helve::*; pub use helve_tools as tools; }
/// use std::sync::Arc;
/// use std::time::{Duration, SystemTime};
/// use helve::State;
/// use helve::tools::datetime::Clock;
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

/// The clock of this machine, which is used if the app's state contains no clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}
