//! The core of [helve](https://docs.rs/helve): the types that `#[tool]` functions need. Depend on `helve`
//! instead of this crate.
//!
//! The modules form layers, and no module imports from a higher layer: [`support`], [`schema`],
//! [`transcript`], [`network`] → [`refusal`], [`dangerous_paths`] → [`sandbox`] → [`capability`] →
//! [`mod@tool`] → [`registry`] → [`mod@toolset`] → [`testing`], [`authority`].

// The tools of the tests use the public macro, whose expansion contains `::helve::…` paths.
#[allow(
    unused_extern_crates,
    reason = "the lint does not see the paths that a macro writes"
)]
extern crate self as helve;

pub mod authority;
pub mod capability;
pub mod dangerous_paths;
pub mod network;
pub mod refusal;
pub mod registry;
pub mod sandbox;
pub mod schema;
pub mod support;
pub mod testing;
pub mod tool;
pub mod toolset;
pub mod transcript;

#[doc(hidden)]
pub mod __private;

/// The attribute macros without the module `tool`.
#[doc(hidden)]
pub mod macros {
    pub use helve_macros::{data, tool, tools};
}

pub use futures_core::future::BoxFuture;
pub use futures_core::stream::{BoxStream, Stream};
pub use helve_macros::data;
pub use helve_macros::tool;
pub use helve_macros::tools;
pub use registry::Registry;
pub use serde_json::{Value, json};
pub use tool::{
    Annotations, Check, Risk, State, Tool, ToolContext, ToolDef, ToolError, ToolOutput, ToolResult,
    ToolSpec, Update,
};
pub use toolset::Toolset;

/// What a file of tools needs: `use helve::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Tool as _, ToolContext, ToolError, ToolOutput, ToolResult, Toolset, Update, data, tool,
        tools, toolset,
    };
}
