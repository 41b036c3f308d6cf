//! The settings as a person meets them: where they are said, what is wrong with them, and what a clone may not say.

mod dangerous_paths;
mod doctor;
mod filters;
mod first_steps;
pub(crate) mod fixture;
mod flags;
mod folders;
mod help;
mod keys;
mod lifetimes;
mod limits;
mod lost_output;
mod messages;
mod prompt;
mod reducing;
mod sandboxes;
#[allow(dead_code, reason = "the tests of MCP servers use all of it")]
pub(crate) mod server;
mod show;
mod tiers;
mod trust;
mod typos;
