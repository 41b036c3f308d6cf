//! Which model replies, how often it is asked, and what is kept of what it says.
#![cfg(feature = "models")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

// What the macro writes says `::helve::…`.
mod fallback;
#[cfg(feature = "genai")]
mod genai;
mod providers;
mod recorder;
mod retrying;
mod script;
