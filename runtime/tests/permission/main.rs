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
mod order;
mod permits;
mod places;
mod properties;
mod shown;
#[cfg(feature = "app")]
mod trust;
mod world;
