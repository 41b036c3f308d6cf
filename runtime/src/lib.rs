//! The runtime of [helve](https://docs.rs/helve): what a `#[tool]` function stands on. Depend on `helve`, not on this.
//!
//! Floors, and nothing imports upward: [`schema`], [`transcript`] → [`sandbox`], [`capability`] → [`tool`] →
//! [`registry`], [`toolset`] → [`permission`], [`skill`], [`model`] → [`agent`] → [`cli`].

// The built-in tools of this crate are written with the public macro, whose expansion says `::helve::…`.
extern crate self as helve;

pub mod agent;
pub mod capability;
#[cfg(feature = "app")]
pub mod cli;
pub mod model;
pub mod permission;
pub mod registry;
pub mod sandbox;
pub mod schema;
#[cfg(feature = "skills")]
pub mod skill;
pub mod tool;
pub mod toolset;
pub mod transcript;

/// What generated code names. No part of the API.
#[doc(hidden)]
pub mod __private {
    #[cfg(feature = "skills")]
    pub use crate::skill::private::*;
}
