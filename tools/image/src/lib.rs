//! The tool of [helve](https://docs.rs/helve) that shows images: files, images on the web and those that the user
//! attached. Depend on `helve`, not on this crate.
//!
//! Images are decoded in a confined worker and encoded again without their metadata, and go to a model that reads them.

// Ambient authority is an error in this crate.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod error;
mod fetch;
mod permission;
mod region;
mod results;
mod settings;
mod show;
mod source;
mod tool;
mod vision;

pub use self::region::ImageRegion;
pub use self::results::PrepareImages;
pub use self::settings::{ImageReaderSetting, ViewImageSettings};
pub use self::tool::{toolset, view_image};
