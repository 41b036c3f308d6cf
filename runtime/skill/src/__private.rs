//! Items that the expansion of `include_skills!` names. Not part of the public API.

pub use core::{concat, env, include_bytes, include_str};

pub use helve_skills_derive::include_skills_impl;
#[cfg(any(target_family = "wasm", miri))]
pub use inventory;
#[cfg(not(any(target_family = "wasm", miri)))]
pub use linkme;

pub use super::embedded::{
    CompressedContents, EmbeddedFile, EmbeddedSkill, SkillSet, SourceFolder,
};
#[cfg(not(any(target_family = "wasm", miri)))]
pub use super::registration::HELVE_SKILLS_V1;
#[cfg(any(target_family = "wasm", miri))]
pub use super::registration::Registered;
pub use crate::__helve_register_skills as register_skills;
