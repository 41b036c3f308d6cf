//! Programs that only read, and the options that make them do more.
//!
//! One row a program. A program that is not in a table only reads if a rule says so; an option that is not known to be
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
    TABLES.iter().find_map(|table| {
        let index = table
            .binary_search_by(|reader| reader.name.cmp(program))
            .ok()?;
        Some(&table[index])
    })
}

/// Returns what a program does with its arguments, where it is one that may only read.
pub(crate) fn judge(
    program: &str,
    words: &[ScriptWord<'_>],
    facts: &mut CommandFacts,
) -> Option<CommandEffect> {
    let reader = find(program)?;
    if let Operands::Judged(judge) = reader.operands {
        return Some(judge(words, facts));
    }
    Some(reader.judge(words, facts))
}

/// Reports whether its arguments are text that does nothing.
pub(crate) fn takes_text(program: &str) -> bool {
    find(program).is_some_and(|reader| matches!(reader.operands, Operands::Text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_disjoint() {
        let mut all: Vec<&str> = Vec::new();
        for table in TABLES {
            for pair in table.windows(2) {
                assert!(
                    pair[0].name < pair[1].name,
                    "{} {}",
                    pair[0].name,
                    pair[1].name
                );
            }
            all.extend(table.iter().map(|reader| reader.name));
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
