//! Permission as an app meets it: what decides, in which order, and who is asked.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

mod approvers;
mod ceilings;
mod dangerous_paths;
mod effects;
#[cfg(feature = "app")]
mod files;
mod fixture;
mod links;
#[cfg(feature = "app")]
mod locks;
mod order;
mod permits;
mod previews;
mod properties;
mod sinks;
mod suggested_paths;
#[cfg(feature = "app")]
mod trust;
