//! Items that the expansion of `include_agents!` names. Not part of the public API.

pub use core::{concat, env, include_str};

pub use helve_skills_derive::include_agents_impl;
#[cfg(any(target_family = "wasm", miri))]
pub use inventory;
#[cfg(not(any(target_family = "wasm", miri)))]
pub use linkme;

pub use super::embedded::{AgentSet, EmbeddedAgent};
#[cfg(not(any(target_family = "wasm", miri)))]
pub use super::registration::HELVE_AGENTS_V1;
#[cfg(any(target_family = "wasm", miri))]
pub use super::registration::Registered;
pub use crate::__helve_register_agents as register_agents;
