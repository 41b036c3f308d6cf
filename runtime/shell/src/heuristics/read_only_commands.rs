//! Programs that only read, and the options with which they do more.
//!
//! Each table row describes one way to read. A program that is not in a table needs a rule to count as one that only
//! reads. An option that is not listed as harmful counts as harmless, so each row lists every option that writes, runs
//! a program or reaches the network. Abbreviated long options and bundled short options are recognized.

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
use crate::name_list::{self, NameIndex};
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

static BY_PROGRAM: NameIndex<&ReadOnlySpec> = NameIndex::new(|| {
    let specs = TABLES.iter().copied().flatten();
    name_list::index(specs.map(|spec| (spec.names, spec)))
});

fn find(program: &str) -> Option<&'static ReadOnlySpec> {
    BY_PROGRAM.get(program).copied()
}

/// Returns the effect of a program with its arguments; `None` if the program is not in a table.
pub(crate) fn judge(
    program: &str,
    words: &[ScriptWord<'_>],
    facts: &mut CommandFacts,
) -> Option<CommandEffect> {
    Some(find(program)?.judge(program, words, facts))
}

/// Reports whether the arguments of a program are text without an effect.
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
