//! The registry of jobs: a linker section, so that the worker finds a job by name.

use super::WorkerJob;

#[doc(hidden)]
pub mod private {
    //! The expansion of [`worker_job!`](crate::worker_job).

    use serde_json::Value;

    pub use crate::worker::{JobContext, WorkerJob};

    /// The registered jobs, in no order.
    #[cfg(not(any(target_family = "wasm", miri)))]
    #[linkme::distributed_slice]
    pub static HELVE_JOBS_V1: [&'static WorkerJob];

    /// Creates a job.
    #[must_use]
    pub const fn new_job(
        name: &'static str,
        run: fn(&mut JobContext, Value) -> Result<Value, String>,
    ) -> WorkerJob {
        WorkerJob { name, run }
    }

    /// Registers a job. Targets without linker sections do not support workers either.
    #[cfg(not(any(target_family = "wasm", miri)))]
    #[macro_export]
    #[doc(hidden)]
    macro_rules! __register_job {
        ($name:ident) => {
            const _: () = {
                #[$crate::__private::linkme::distributed_slice($crate::__private::HELVE_JOBS_V1)]
                #[linkme(crate = $crate::__private::linkme)]
                static REGISTERED: &$crate::__private::WorkerJob = &$name;
            };
        };
    }

    #[cfg(any(target_family = "wasm", miri))]
    #[macro_export]
    #[doc(hidden)]
    macro_rules! __register_job {
        ($name:ident) => {};
    }
}

/// Defines a job of [workers](crate::worker), and registers the job under a name that is unique in the program.
///
/// ```
/// use helve::worker::JobContext;
/// use serde_json::Value;
///
/// helve::worker_job! {
///     /// Gives back its argument.
///     static ECHO: "my_app/echo" = echo;
/// }
///
/// fn echo(_: &mut JobContext, argument: Value) -> Result<Value, String> {
///     Ok(argument)
/// }
/// assert_eq!(ECHO.name, "my_app/echo");
/// ```
#[macro_export]
macro_rules! worker_job {
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $text:literal = $run:path;) => {
        $(#[$attribute])*
        $visibility static $name: $crate::__private::WorkerJob = $crate::__private::new_job($text, $run);
        $crate::__register_job!($name);
    };
}

#[cfg(all(target_os = "linux", not(miri)))]
pub(super) fn find(name: &str) -> Option<&'static WorkerJob> {
    private::HELVE_JOBS_V1
        .iter()
        .copied()
        .find(|job| job.name == name)
}

/// Returns `None`: this target has no linker sections.
#[cfg(all(target_os = "linux", miri))]
pub(super) fn find(_: &str) -> Option<&'static WorkerJob> {
    None
}
