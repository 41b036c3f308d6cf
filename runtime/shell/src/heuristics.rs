//! The heuristic analysis of command lines, independent of any proof.
//!
//! The findings only make a verdict stricter. They are dangers, accessed paths, and the commands that deny rules are
//! matched against; a finding never allows a command line to run.

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
