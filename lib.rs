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
//! With `fn main() -> std::process::ExitCode { helve::app!().main() }` the program has a command line and an agent, and with
//! the feature `serve` it is an MCP server. The [guide] starts there, in [`guide::first_tool`].
//!
//! # Where to look
//!
//! | subject | guide | items |
//! |---|---|---|
//! | what to write on functions, `impl` blocks and types | [arguments](guide::arguments) | [`macro@tool`], [`macro@tools`], [`macro@data`] |
//! | what the program supplies | [host state](guide::host_state) | [`ToolContext`], [`tool::State`], [`Toolset::settings`] |
//! | what a tool returns | [results](guide::results) | [`ToolOutput`], [`ToolError`], [`Update`] |
//! | all linked tools, and those that one agent may call | [first tool](guide::first_tool) | [`Registry`], [`Toolset`], [`macro@toolset`], [`toolset::DynamicTool`], [`toolset::ToolSource`] |
//! | programs that run before and after calls | [hooks](guide::hooks) | [`hooks::HookSettings`], [`hooks::CommandHooks`] |
//! | a whole binary | [shipping](guide::shipping) | [`macro@app`], [`cli::App`], [`tools`](mod@tools) |
//! | which calls run | [permission](guide::permission) | [`permission::Policy`], [`permission::Rule`], [`permission::Approver`] |
//! | files, programs, the network | [sandbox](guide::sandbox) | [`capability`], [`mod@sandbox`] |
//! | requests of tools, their hosts and secrets | [HTTP](guide::http) | [`capability::SecretRef`], [`capability::Http`] |
//! | instructions for a model | [skills](guide::skills) | [`macro@include_skills`], [`skill::SkillCatalog`] |
//! | agents by name | [agents](guide::agents) | [`macro@include_agents`], [`agents::AgentSpec`], [`agents::AgentCatalog`] |
//! | a model by its name, `provider/model` | [models](guide::models) | [`model::Providers`], [`model::Model`] |
//! | an agent without the command line | [embedding](guide::embedding) | [`agent::Agent::ask`], [`agent::Agent::ask_for`], [`agent::Events`], [`agent::Hook`] |
//! | checks of prompts, calls, results and replies | [guards](guide::guards) | [`agent::Guard`], [`agent::NoteQueue`], [`transcript::Note`] |
//! | agents that work for an agent | [delegation](guide::delegation) | [`agent::Agent::delegate`], [`agent::AgentSource`] |
#![cfg_attr(
    feature = "jobs",
    doc = "| tasks in the background | [jobs](guide::jobs) | [`jobs::Jobs`], [`jobs::JobRunner`] |"
)]
#![cfg_attr(
    feature = "schedule",
    doc = "| work at given times | [schedules](guide::schedules) | [`schedule::Schedules`], [`schedule::ScheduleRunner`] |"
)]
//! | conversations on disk | [sessions](guide::sessions) | [`agent::session::Sessions`], [`agent::Conversation`] |
//! | what happens in a session, for other programs | [events](guide::events) | [`agent::EventKind`], [`agent::session::StoreChecks`] |
//! | questions to the user, and tasks | [questions](guide::questions) | [`tools::ask_user`](mod@tools), [`agent::todo::TodoList`] |
#![cfg_attr(
    feature = "check-code",
    doc = "| checks of code | [code checks](guide::code_checks) | [`tools::check_code`](mod@tools) |"
)]
#![cfg_attr(
    feature = "documents",
    doc = "| what the documents of a folder say | [documents](guide::documents) | [`tools::documents`](mod@tools) |"
)]
#![cfg_attr(
    feature = "github",
    doc = "| issues, pull requests and runs on GitHub | [GitHub](guide::github) | [`tools::github`](mod@tools) |"
)]
#![cfg_attr(
    feature = "web",
    doc = "| web pages | [web](guide::web) | [`tools::web`](mod@tools) |"
)]
#![cfg_attr(
    all(feature = "mcp", feature = "serve"),
    doc = "| MCP servers, and the app as one | [MCP](guide::mcp) | [`mcp::McpServers`], [`serve::Server`] |"
)]
#![cfg_attr(
    feature = "memory",
    doc = "| what is remembered of earlier sessions | [memory](guide::memory) | [`memory::Memory`], [`memory::MemoryStore`] |"
)]
#![cfg_attr(
    feature = "session-search",
    doc = "| search in past sessions | [session search](guide::session_search) | [`session_search::SessionSearch`], [`tools::session_search`](mod@tools) |"
)]
#![cfg_attr(
    feature = "skill-install",
    doc = "| skills of others | [installed skills](guide::skill_install) | [`skill_install::SkillInstaller`] |\n\
           | bundles of skills, agents, commands, hooks and servers | [bundles](guide::bundles) | [`skill_install::BundleStore`] |"
)]
#![cfg_attr(
    feature = "state",
    doc = "| work that processes claim | [queues](guide::queues) | [`state::WorkQueue`], [`state::Runner`] |"
)]
#![cfg_attr(
    feature = "text-index",
    doc = "| texts that are found by their words | [text index](guide::text_index) | [`text_index::TextIndex`] |"
)]
#![cfg_attr(
    feature = "view-image",
    doc = "| images | [images](guide::images) | [`tools::view_image`](mod@tools), [`image::prepare`] |"
)]
#![cfg_attr(
    feature = "web-search",
    doc = "| search engines | [web search](guide::web_search) | [`tools::web_search`](mod@tools) |"
)]
//! | tests without a model | [testing](guide::testing) | [`testing`], [`model::ScriptedModel`], [`model::Recorder`] |
#![cfg_attr(
    feature = "testing",
    doc = "| what an agent should do, as data | [cases](guide::cases) | [`macro@testing::cases`], [`testing::Cases`] |"
)]
//!
//! # Features
//!
//! On by default: `agent`, `agents`, `app`, `ask-user`, `chat`, `core`, `datetime`, `diff`, `files`, `hooks`, `http`, `models`,
//! `sandbox`, `shell`, `skills` and `todo`.
//!
//! Off by default: `build`, `check-code`, `docker`, `documents`, `full`, `genai`, `github`, `highlight`, `http-request`,
//! `jobs`, `kv`, `mcp`, `mcp-jwt`, `memory`, `pdf`, `schedule`, `serve`, `session-search`, `skill-install`, `skills-zstd`,
//! `ssh`, `state`, `testing`, `text-index`, `tokens`, `view-image`, `web` and `web-search`.
//!
//! A library that only defines tools takes `core` alone, a build script `build` alone. [`guide::features`] says what
//! each brings and costs.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(any(feature = "core", feature = "build")))]
compile_error!(
    "helve without its default features needs one of its own: `core` for a library that defines tools, `build` for a build \
     script, as in `helve = { version = \"…\", default-features = false, features = [\"core\"] }`"
);

mod agent_modules;
#[cfg(feature = "core")]
mod tool_modules;

// A glob is for items that the documentation does not list: what the runtime's own packages and its tests need, and types
// that signatures have and few users name. They follow no promise of stability.
#[cfg(feature = "app")]
pub use helve_runtime::app;
#[cfg(feature = "agents")]
pub use helve_runtime::include_agents;
#[cfg(feature = "skills")]
pub use helve_runtime::include_skills;
#[cfg(feature = "core")]
#[doc(hidden)]
pub use helve_runtime::*;
#[cfg(feature = "core")]
#[doc(no_inline)]
pub use helve_runtime::{BoxFuture, Stream, Value, json};
#[cfg(feature = "core")]
pub use helve_runtime::{
    Check, Registry, Risk, State, Tool, ToolContext, ToolDef, ToolError, ToolOutput, ToolResult,
    ToolSpec, Toolset, Update, link_tools,
    macros::{data, tool, tools},
    toolset,
};
#[cfg(feature = "sandbox")]
pub use helve_runtime::{become_helper, worker_job};

// Each module has its feature where it is defined, and again here.
#[cfg(feature = "agents")]
pub use self::agent_modules::agents;
#[cfg(feature = "hooks")]
pub use self::agent_modules::hooks;
#[cfg(feature = "jobs")]
pub use self::agent_modules::jobs;
#[cfg(feature = "mcp")]
pub use self::agent_modules::mcp;
#[cfg(feature = "memory")]
pub use self::agent_modules::memory;
#[cfg(any(feature = "agent", feature = "files", feature = "shell"))]
pub use self::agent_modules::permission;
#[cfg(feature = "schedule")]
pub use self::agent_modules::schedule;
#[cfg(feature = "serve")]
pub use self::agent_modules::serve;
#[cfg(feature = "session-search")]
pub use self::agent_modules::session_search;
#[cfg(feature = "skills")]
pub use self::agent_modules::skill;
#[cfg(feature = "skill-install")]
pub use self::agent_modules::skill_install;
#[cfg(feature = "state")]
pub use self::agent_modules::state;
#[cfg(feature = "text-index")]
pub use self::agent_modules::text_index;
#[cfg(feature = "agent")]
pub use self::agent_modules::{agent, model, results};
#[cfg(feature = "view-image")]
pub use self::tool_modules::image;
#[cfg(any(
    feature = "agent",
    feature = "files",
    feature = "shell",
    feature = "skills"
))]
pub use self::tool_modules::untrusted;
#[cfg(feature = "core")]
pub use self::tool_modules::{capability, network, sandbox, schema, testing, tool, transcript};

/// What a file of tools needs: `use helve::prelude::*;`.
#[cfg(feature = "core")]
pub mod prelude {
    #[doc(no_inline)]
    pub use crate::{
        Tool as _, ToolContext, ToolError, ToolOutput, ToolResult, Toolset, Update, data, tool,
        toolset,
    };
    #[cfg(feature = "memory")]
    #[doc(no_inline)]
    pub use helve_runtime::memory::MemoryContext as _;
    #[cfg(feature = "agent")]
    #[doc(no_inline)]
    pub use helve_runtime::model::{LendsModels as _, ReadsConversation as _};
    #[cfg(feature = "schedule")]
    #[doc(no_inline)]
    pub use helve_runtime::schedule::ScheduleContext as _;
    // Without the module of the built-in tools.
    #[doc(no_inline)]
    pub use helve_runtime::macros::tools;
}

/// The command line of `helve::app!()`.
#[cfg(feature = "app")]
pub mod cli {
    pub use helve_runtime::cli::*;
}

#[cfg(all(
    any(doc, doctest),
    feature = "app",
    feature = "files",
    feature = "ask-user",
    feature = "models",
    feature = "shell",
    feature = "skills",
    feature = "todo"
))]
pub mod guide;

/// What a `build.rs` does for a package with skills, without the runtime: the feature `build`.
#[cfg(feature = "build")]
pub mod build {
    pub use helve_skill_format::build::*;
}

/// The built-in tools, written with the public macro.
#[cfg(feature = "helve-tools")]
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
