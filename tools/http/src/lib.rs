//! The tool of [helve](https://docs.rs/helve) that sends HTTP requests. Depend on `helve`, not on this crate.
//!
//! [`http_request`](fn@http_request) sends one request to a host that the app or the settings allow. Settings name the
//! bases of services, with their credentials, as [presets](HttpPreset): the model names the preset, and never holds a
//! secret.

// Ambient authority is an error in this crate.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod body;
mod error;
mod headers;
mod method;
mod path_pattern;
mod permission;
mod pick;
mod plan;
mod report;
mod rule;
mod settings;
mod target;
mod tool;

pub use self::method::HttpMethod;
pub use self::settings::{HttpAuth, HttpPreset, HttpRequestSettings};
pub use self::tool::{http_request, toolset};
