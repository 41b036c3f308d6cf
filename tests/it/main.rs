//! The tests of the facade, in one program. [`Registry::linked`] has the tools of all modules, and names that are taken
//! twice; `thousand` is a program of its own for what [`Registry::collect`] says of a whole binary.

// For `compiles_lints`: levels that only a whole crate can have.
#![deny(future_incompatible, non_ascii_idents)]

// Where there are no linker sections, as on wasm, the registry is what is tested; `--cfg miri` does without them.
#[cfg(not(miri))]
mod agent;
#[cfg(all(feature = "models", not(miri)))]
mod aimock;
#[cfg(not(miri))]
mod compiler_messages;
mod compiles_data;
mod compiles_keys;
mod compiles_lints;
mod compiles_names;
mod compiles_parameters;
mod compiles_placement;
mod compiles_returns;
mod compiles_shapes;
#[cfg(not(miri))]
mod documentation;
#[cfg(not(miri))]
mod kill;
#[cfg(all(not(miri), unix))]
mod lanes;
#[cfg(not(miri))]
mod layout;
#[cfg(all(not(miri), unix))]
mod outside;
#[cfg(not(miri))]
mod rules;
#[cfg(not(miri))]
mod security;
#[cfg(not(miri))]
mod skill_rules;
#[cfg(not(miri))]
mod structure;
mod tool_macro;

use helve::{Registry, ToolDef};

/// Returns the linked tools that are written in a file, in the order of their names.
fn tools_of(file: &str) -> Vec<&'static ToolDef> {
    let mut tools = Registry::linked();
    tools.retain(|tool| {
        let location = tool.location();
        location
            .strip_prefix(file)
            .is_some_and(|line| line.starts_with(':'))
    });
    tools
}

/// Returns the tool of a name.
fn named<'a>(tools: &'a [&'static ToolDef], name: &str) -> &'a &'static ToolDef {
    let found = tools.iter().find(|tool| tool.name() == name);
    found.unwrap_or_else(|| panic!("no tool `{name}`"))
}
