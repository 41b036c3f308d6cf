//! Skills through the binary: what a person sees of them, and what a model can do with them.

mod commands;
pub(crate) mod fixture;
pub(crate) mod install;
#[cfg(target_os = "linux")]
mod managed;
mod mistakes;
#[cfg(target_os = "linux")]
mod model;
