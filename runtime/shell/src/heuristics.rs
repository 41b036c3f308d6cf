//! The finding side: a generous look at a command line, whatever can be proven of it.
//!
//! What is found only ever makes a verdict stricter. It names dangers, the places that a command line touches and the
//! commands that a rule to deny is held against; nothing of it lets a command line run.

pub(crate) mod analysis;
pub(crate) mod ansi;
pub(crate) mod braces;
mod candidates;
pub(crate) mod command_facts;
pub(crate) mod lexer;
pub(crate) mod parse;
pub(crate) mod read_only_commands;
pub(crate) mod sed_script;
pub(crate) mod severity;
pub(crate) mod sources;
pub(crate) mod splitter;
pub(crate) mod tree;
pub(crate) mod wrappers;
