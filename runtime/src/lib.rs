//! The runtime of [helve](https://docs.rs/helve): what a `#[tool]` function stands on. Depend on `helve`, not on this.
//!
//! Floors, and nothing imports upward: [`schema`], [`transcript`] → [`sandbox`], [`capability`] → [`tool`] →
//! [`registry`], [`toolset`] → [`permission`], [`skill`], [`model`] → [`agent`] → [`cli`].

// The tools of this crate are written with the public macro, whose expansion says `::helve::…`.
#[allow(
    unused_extern_crates,
    reason = "the lint does not see the paths that a macro writes"
)]
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
pub mod testing;
pub mod tool;
pub mod toolset;
pub mod transcript;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use helve_macros::{data, tool, tools};
pub use registry::Registry;
pub use tool::{
    Annotations, Check, Risk, State, Tool, ToolContext, ToolDef, ToolError, ToolOutput, ToolResult,
    ToolSpec, Update,
};
pub use toolset::Toolset;

/// What a file of tools needs: `use helve::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Tool as _, ToolContext, ToolError, ToolOutput, ToolResult, Update, data, tool, tools,
        toolset,
    };
}
