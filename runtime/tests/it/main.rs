//! The tests of the runtime through its front door, in one program: what needs a `main` of its own is in `reexec`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::needless_pass_by_value,
    reason = "tests fail by panicking"
)]

extern crate helve_runtime as helve;

#[path = "../support/mod.rs"]
mod support;

#[cfg(all(feature = "http", feature = "kv", feature = "sandbox"))]
mod capability;
mod context;
mod driver;
mod file_history;
#[cfg(feature = "mcp")]
mod mcp_oauth;
#[cfg(all(feature = "mcp", feature = "skills"))]
mod mcp_tools;
mod model_http;
mod model_openai;
mod models_choice;
mod offer;
mod permission;
mod reading;
mod reading_properties;
mod recall;
mod recall_corpus;
mod reducing;
#[cfg(all(feature = "docker", feature = "ssh"))]
mod remote;
mod sandbox_fs;
#[cfg(all(feature = "mcp", feature = "serve"))]
mod serve_core;
#[cfg(feature = "serve")]
mod serve_http;
#[cfg(all(feature = "serve", feature = "skills"))]
mod serve_more;
#[cfg(feature = "serve")]
mod serve_stdio;
mod sessions;
mod skills;
mod skills_runtime;
mod skills_zstd;
mod turn_asking;
mod turn_bounds;
mod turn_events;
mod turn_model;
mod turn_properties;
mod turn_records;
mod turn_scenarios;
mod turn_script;
mod turn_transcript;
mod vectors_args;
#[cfg(all(feature = "http", feature = "kv", feature = "sandbox"))]
mod vectors_capability;
mod vectors_context;
#[cfg(feature = "mcp")]
mod vectors_mcp;
mod vectors_models;
mod vectors_offer;
mod vectors_permission;
mod vectors_progress;
mod vectors_reading;
#[cfg(feature = "shell")]
mod vectors_shell;
mod vectors_skills;
mod vectors_turn;
