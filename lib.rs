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
//! let tools = toolset![add];
//! let output = tools.call("add", r#"{ "a": 2, "b": 3 }"#, &ToolContext::new()).await.expect("it adds");
//! assert_eq!(output.text(), "5");
//! # }
//! ```
//!
//! With `fn main() -> std::process::ExitCode { helve::app!().main() }` the program has a command line, an agent and an MCP
//! server. The [guide] starts there, in [`guide::first_tool`].
//!
//! # Where to look
//!
//! | subject | guide | items |
//! |---|---|---|
//! | what to write on functions, `impl` blocks and types | [arguments](guide::arguments) | [`macro@tool`], [`macro@tools`], [`macro@data`] |
//! | what the program supplies | [host state](guide::host_state) | [`ToolContext`], [`tool::State`], [`Toolset::settings`] |
//! | what a tool returns | [results](guide::results) | [`ToolOutput`], [`ToolError`], [`Update`] |
//! | all linked tools, and those that one agent may call | [first tool](guide::first_tool) | [`Registry`], [`Toolset`], [`macro@toolset`], [`toolset::ToolSource`] |
//! | a whole binary | [shipping](guide::shipping) | [`macro@app`], [`cli::App`], [`tools`](mod@tools) |
//! | which calls run | [permission](guide::permission) | [`permission::Policy`], [`permission::Rule`], [`permission::Approver`] |
//! | files, programs, the network | [sandbox](guide::sandbox) | [`capability`], [`mod@sandbox`] |
//! | instructions for a model | [skills](guide::skills) | [`macro@include_skills`], [`skill::SkillCatalog`] |
//! | a model by its name, `provider/model` | [models](guide::models) | [`model::Providers`], [`model::Model`] |
//! | an agent without the command line | [embedding](guide::embedding) | [`agent::Agent`], [`agent::Events`], [`agent::Hook`] |
//! | conversations on disk | [sessions](guide::sessions) | [`agent::session::Sessions`], [`agent::Conversation`] |
//! | MCP servers, and the app as one | [MCP](guide::mcp) | [`mcp::McpServers`], [`serve::Server`] |
//! | tests without a model | [testing](guide::testing) | [`testing`], [`model::ScriptedModel`], [`model::Recorder`] |
//!
//! # Features
//!
//! On by default: `agent`, `app`, `chat`, `core`, `diff`, `files`, `http`, `kv`, `mcp`, `models`, `pdf`, `sandbox`, `serve`,
//! `shell` and `skills`.
//!
//! Off by default: `build`, `datetime`, `docker`, `genai`, `skills-zstd`, `ssh` and `tokens`.
//!
//! A library that only defines tools takes `core` alone, a build script `build` alone. The README describes each.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(any(feature = "core", feature = "build")))]
compile_error!(
    "helve without its default features needs one of its own: `core` for a library that defines tools, `build` for a build \
     script, as in `helve = { version = \"…\", default-features = false, features = [\"core\"] }`"
);

#[cfg(feature = "core")]
pub use helve_runtime::*;

#[cfg(all(
    any(doc, doctest),
    feature = "app",
    feature = "files",
    feature = "mcp",
    feature = "models",
    feature = "serve",
    feature = "shell",
    feature = "skills"
))]
pub mod guide;

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

/// The examples of the macros' documentation.
#[cfg(all(doctest, feature = "core"))]
mod macros {
    #[doc = include_str!("macros/docs/tool.md")]
    struct Tool;
    #[doc = include_str!("macros/docs/tools.md")]
    struct Tools;
    #[doc = include_str!("macros/docs/data.md")]
    struct Data;
}
