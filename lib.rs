//! One annotated function is a tool that a language model, a person at a terminal or another program can call; the
//! result that you ship is one self-contained executable.
//!
//! ```
//! use helve::prelude::*;
//!
//! /// Adds two numbers.
//! #[tool(read_only)]
//! fn add(
//!     /// The first.
//!     a: i64,
//!     /// The second.
//!     b: i64,
//! ) -> i64 {
//!     a + b
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let registry = helve::Registry::collect().expect("no two tools of one name");
//! let output = registry.call("add", r#"{ "a": 2, "b": 3 }"#, &ToolContext::new()).await.expect("it adds");
//! assert_eq!(output.text(), "5");
//! # }
//! ```
//!
//! # Where to look
//!
//! - [`macro@tool`], [`macro@tools`], [`macro@data`]: what to write on functions, `impl` blocks and types.
//! - [`ToolContext`]: what a running tool knows and may reach.
//! - [`Registry`], [`Toolset`], [`macro@toolset`]: all that is linked, and what one agent may call.
//! - [`ToolOutput`], [`ToolError`], [`Update`]: what a tool gives back.
//! - [`macro@app`], [`macro@include_skills`]: a whole binary.
//! - [`agent::Agent`]: the agent without the command line; [`agent::Events`]: its events.
//! - [`model::Providers`]: a model by its name, `provider/model`; [`model::Recorder`]: any run as a test.
//! - [`testing`]: one call of one tool; [`model::ScriptedModel`]: a model for tests.
//!
//! # Features
//!
//! `app`, `chat`, `files`, `models`, `shell` and `skills` are on by default; `datetime` and `genai` are not. A library that
//! only defines tools takes `core` alone, a build script `build` alone.

#[cfg(not(any(feature = "core", feature = "build")))]
compile_error!(
    "helve without its default features needs one of its own: `core` for a library that defines tools, `build` for a build \
     script, as in `helve = { version = \"…\", default-features = false, features = [\"core\"] }`"
);

#[cfg(feature = "core")]
pub use helve_runtime::*;

/// What a `build.rs` does for a package with skills, without the runtime: the feature `build`.
#[cfg(feature = "build")]
pub mod build {
    pub use helve_skill_format::build::*;
}

/// The built-in tools, written with the public macro.
#[cfg(any(feature = "files", feature = "datetime", feature = "shell"))]
pub mod tools {
    pub use helve_tools::*;
}

/// The README's Rust compiles.
#[cfg(all(doctest, feature = "app", feature = "files", feature = "skills"))]
#[doc = include_str!("README.md")]
struct Readme;
