//! Permission as an app meets it: what decides, in which order, and who is asked.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

mod approvers;
mod effects;
#[cfg(feature = "app")]
mod files;
mod links;
#[cfg(feature = "app")]
mod locks;
mod order;
mod places;
mod properties;
mod shown;
mod suggested_paths;
#[cfg(feature = "app")]
mod trust;
mod world;
