//! Programs that only read, and the options that make them do more.
//!
//! One row a way to read. A program that is not in a table only reads if a rule says so; an option that is not known to be
//! harmful is taken for harmless, so each row names everything that writes, runs a program or reaches the network. Long
//! options may be abbreviated, short ones stand in clusters, and both are seen through.

mod builds;
mod file_programs;
mod files;
mod git;
mod options;
mod packages;
mod platforms;
mod spec;
mod special;
mod subcommands;
mod system;
mod text;

use super::command_facts::{CommandEffect, CommandFacts};
use crate::name_list;
use crate::script::ScriptWord;
use spec::{Operands, ReadOnlySpec};

static TABLES: [&[ReadOnlySpec]; 6] = [
    text::TABLE,
    files::TABLE,
    system::TABLE,
    builds::TABLE,
    packages::TABLE,
    platforms::TABLE,
];

fn find(program: &str) -> Option<&'static ReadOnlySpec> {
    let mut specs = TABLES.iter().copied().flatten();
    specs.find(|spec| name_list::has(spec.names, program))
}

/// Returns what a program does with its arguments, where it is one that may only read.
pub(crate) fn judge(
    program: &str,
    words: &[ScriptWord<'_>],
    facts: &mut CommandFacts,
) -> Option<CommandEffect> {
    Some(find(program)?.judge(program, words, facts))
}

/// Reports whether its arguments are text that does nothing.
pub(crate) fn takes_text(program: &str) -> bool {
    find(program).is_some_and(|spec| matches!(spec.operands, Operands::Text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_disjoint() {
        name_list::assert_disjoint(TABLES.iter().copied().flatten().map(|spec| spec.names));
    }
}
