//! The guide: one page a subject, in the order in which a newcomer meets them.
//!
//! | page | subject |
//! |---|---|
//! | [`first_tool`] | a function becomes a tool and a command line |
//! | [`arguments`] | parameters, types, defaults and limits |
//! | [`host_state`] | what the program supplies: state, settings, the context of a call |
//! | [`results`] | values, errors, progress |
//! | [`permission`] | which calls run, which ask, which are denied |
//! | [`hooks`] | programs that run before and after calls |
//! | [`sandbox`] | files, programs and the network |
//! | [`http`] | requests of tools, their hosts and their secrets |
//! | [`bundles`] | skills, agents, commands, hooks and servers, installed as one |
//! | [`skills`] | folders of instructions in the binary and beside it |
//! | [`agents`] | agents by name, in files and in code |
//! | [`models`] | providers, keys, fallback, recordings |
//! | [`guards`] | what enters and leaves a turn, and what is said while it runs |
//! | [`sessions`] | conversations on disk, and turns that continue later |
//! | [`events`] | what happened in a session, for other programs |
//! | [`questions`] | what the agent asks its user, and its tasks |
#![cfg_attr(
    feature = "check-code",
    doc = "| [`code_checks`] | what the checkers of a project found, as rows |"
)]
#![cfg_attr(
    feature = "documents",
    doc = "| [`documents`] | passages of the documents of a folder |"
)]
#![cfg_attr(
    feature = "github",
    doc = "| [`github`] | issues, pull requests, files and runs on GitHub |"
)]
#![cfg_attr(
    feature = "web",
    doc = "| [`web`] | web pages: what is read of them, and how |"
)]
#![cfg_attr(
    all(feature = "mcp", feature = "serve"),
    doc = "| [`mcp`] | MCP servers as tools, and the program as an MCP server |"
)]
#![cfg_attr(
    feature = "memory",
    doc = "| [`memory`] | what agents remember of earlier sessions, and who reviews it |"
)]
#![cfg_attr(
    feature = "session-search",
    doc = "| [`session_search`] | what was said and done in past sessions |"
)]
#![cfg_attr(
    feature = "skill-install",
    doc = "| [`skill_install`] | skills from repositories, hosts, archives and MCP servers |"
)]
#![cfg_attr(
    feature = "state",
    doc = "| [`queues`] | work that outlives the process that wants it |"
)]
#![cfg_attr(
    feature = "text-index",
    doc = "| [`text_index`] | texts that are found by their words |"
)]
#![cfg_attr(
    feature = "view-image",
    doc = "| [`images`] | images of files and pages, and who looks at them |"
)]
#![cfg_attr(
    feature = "web-search",
    doc = "| [`web_search`] | titles, addresses and snippets from a search engine |"
)]
//! | [`testing`] | tools and agents without a model |
#![cfg_attr(
    feature = "testing",
    doc = "| [`cases`] | what an agent should do, as lines of JSON |"
)]
//! | [`embedding`] | an agent in a program without the command line |
//! | [`delegation`] | agents that work for other agents |
#![cfg_attr(
    feature = "jobs",
    doc = "| [`jobs`] | tasks that outlive the process that starts them |"
)]
#![cfg_attr(
    feature = "schedule",
    doc = "| [`schedules`] | work at given times, and the daemon that does it |"
)]
//! | [`features`] | what each feature brings, and what it costs |
//! | [`shipping`] | smaller binaries and releases |
//!
//! The pages exist in the documentation alone; no program compiles them.

#[doc = include_str!("guide/first_tool.md")]
pub mod first_tool {}
#[doc = include_str!("guide/arguments.md")]
pub mod arguments {}
#[doc = include_str!("guide/host_state.md")]
pub mod host_state {}
#[doc = include_str!("guide/results.md")]
pub mod results {}
#[doc = include_str!("guide/permission.md")]
pub mod permission {}
#[doc = include_str!("guide/hooks.md")]
pub mod hooks {}
#[doc = include_str!("guide/sandbox.md")]
pub mod sandbox {}
#[doc = include_str!("guide/http.md")]
pub mod http {}
#[doc = include_str!("guide/skills.md")]
pub mod skills {}

#[doc = include_str!("guide/bundles.md")]
pub mod bundles {}
#[doc = include_str!("guide/agents.md")]
pub mod agents {}
#[doc = include_str!("guide/models.md")]
pub mod models {}
#[doc = include_str!("guide/guards.md")]
pub mod guards {}
#[doc = include_str!("guide/sessions.md")]
pub mod sessions {}
#[doc = include_str!("guide/events.md")]
pub mod events {}
#[doc = include_str!("guide/questions.md")]
pub mod questions {}
#[cfg(feature = "check-code")]
#[doc = include_str!("guide/code_checks.md")]
pub mod code_checks {}
#[cfg(feature = "documents")]
#[doc = include_str!("guide/documents.md")]
pub mod documents {}
#[cfg(feature = "github")]
#[doc = include_str!("guide/github.md")]
pub mod github {}
#[cfg(feature = "web")]
#[doc = include_str!("guide/web.md")]
pub mod web {}
#[cfg(all(feature = "mcp", feature = "serve"))]
#[doc = include_str!("guide/mcp.md")]
pub mod mcp {}
#[cfg(feature = "session-search")]
#[doc = include_str!("guide/session_search.md")]
pub mod session_search {}
#[cfg(feature = "memory")]
#[doc = include_str!("guide/memory.md")]
pub mod memory {}
#[cfg(feature = "state")]
#[doc = include_str!("guide/queues.md")]
pub mod queues {}
#[cfg(feature = "text-index")]
#[doc = include_str!("guide/text_index.md")]
pub mod text_index {}
#[cfg(feature = "skill-install")]
#[doc = include_str!("guide/skill_install.md")]
pub mod skill_install {}
#[cfg(feature = "view-image")]
#[doc = include_str!("guide/images.md")]
pub mod images {}
#[cfg(feature = "web-search")]
#[doc = include_str!("guide/web_search.md")]
pub mod web_search {}
#[doc = include_str!("guide/testing.md")]
pub mod testing {}
#[cfg(feature = "testing")]
#[doc = include_str!("guide/cases.md")]
pub mod cases {}
#[doc = include_str!("guide/embedding.md")]
pub mod embedding {}
#[doc = include_str!("guide/delegation.md")]
pub mod delegation {}
#[cfg(feature = "jobs")]
#[doc = include_str!("guide/jobs.md")]
pub mod jobs {}
#[cfg(feature = "schedule")]
#[doc = include_str!("guide/schedules.md")]
pub mod schedules {}
#[doc = include_str!("guide/features.md")]
pub mod features {}
#[doc = include_str!("guide/shipping.md")]
pub mod shipping {}
