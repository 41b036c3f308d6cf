//! The command line in a terminal, as a person sees it: what stands on the screen, and what the keys do.

#![cfg(unix)]

mod accepting;
mod agents;
mod approving;
mod blocked;
mod bounds;
mod chatting;
mod commands;
mod custom_commands;
mod every_command;
mod handing_off;
mod installing;
mod jobs;
mod planning;
pub(crate) mod pty;
mod questions;
mod rewinding;
mod searching;
mod stopping;
mod streaming;
mod suggesting;
mod tasks;
mod typing;
