//! The specifications of programs that only read, and their evaluation.

use super::options::{Item, OptionIter, is_harmful};
use super::subcommands::SubcommandSet;
use crate::heuristics::command_facts::{CommandEffect, CommandFacts};
use crate::name_list::NameList;
use crate::script::ScriptWord;

/// Programs that only read, with the same arguments.
pub(super) struct ReadOnlySpec {
    pub(super) names: &'static str,
    pub(super) operands: Operands,
    /// The short options that take a value, attached or as the next word.
    valued: &'static str,
    /// The options that write, run a program, reach the network or change something. Short options are listed with a
    /// dash.
    harmful: NameList,
}

/// The meaning of a program's operands.
#[derive(Clone, Copy)]
pub(super) enum Operands {
    /// Text without an effect.
    Text,
    /// Files whose metadata is displayed, but not their content.
    Names,
    /// Files whose content is displayed.
    Files,
    /// A pattern, followed by files whose content is displayed.
    Pattern,
    /// No operands are accepted.
    Nothing,
    /// The first operand is a sub-command.
    Subcommands(&'static SubcommandSet),
    /// A function judges the operands.
    Judged(fn(&[ScriptWord<'_>], &mut CommandFacts) -> CommandEffect),
}

pub(super) const fn read_only(
    names: &'static str,
    operands: Operands,
    valued: &'static str,
    harmful: &'static str,
) -> ReadOnlySpec {
    ReadOnlySpec {
        names,
        operands,
        valued,
        harmful: NameList::new(harmful),
    }
}

/// Creates a spec of programs with sub-commands.
pub(super) const fn subcommands(names: &'static str, set: &'static SubcommandSet) -> ReadOnlySpec {
    read_only(names, Operands::Subcommands(set), "", "")
}

/// Creates a spec of programs that a function judges.
pub(super) const fn judged(
    names: &'static str,
    judge: fn(&[ScriptWord<'_>], &mut CommandFacts) -> CommandEffect,
) -> ReadOnlySpec {
    read_only(names, Operands::Judged(judge), "", "")
}

impl ReadOnlySpec {
    /// Returns the effect of one of the programs with its arguments.
    pub(super) fn judge(
        &self,
        program: &str,
        words: &[ScriptWord<'_>],
        facts: &mut CommandFacts,
    ) -> CommandEffect {
        match self.operands {
            Operands::Subcommands(set) => return set.judge(words, facts),
            Operands::Judged(judge) => return judge(words, facts),
            _ => {}
        }
        let options = OptionIter::new(&words[1..], self.valued);
        let mut seen_pattern = !matches!(self.operands, Operands::Pattern);
        for item in options {
            match item {
                Item::Operand(word) => {
                    if matches!(self.operands, Operands::Text) {
                        continue;
                    }
                    // File names alone reveal little, and no option of such a program is harmful, so the word may have
                    // any value.
                    let takes_any = matches!(self.operands, Operands::Names)
                        && self.harmful.iter().next().is_none();
                    if word.is_dynamic && !takes_any {
                        return facts.unknown();
                    }
                    if word.text.starts_with('+') && matches!(program, "less" | "more") {
                        // A command of the pager, which may run another program.
                        return CommandEffect::Other;
                    }
                    if matches!(self.operands, Operands::Nothing) {
                        return CommandEffect::Other;
                    }
                    if !seen_pattern {
                        seen_pattern = true;
                        continue;
                    }
                    facts.read(word);
                }
                Item::Option { name, value, word } => {
                    if word.is_dynamic && !matches!(self.operands, Operands::Text) {
                        return facts.unknown();
                    }
                    if is_harmful(name, self.harmful) {
                        return CommandEffect::Other;
                    }
                    if matches!(name, "-e" | "--regexp" | "-f" | "--file")
                        && matches!(self.operands, Operands::Pattern)
                    {
                        seen_pattern = true;
                    }
                    if let Some(value) = value.filter(|_| names_a_file(name)) {
                        facts.read_text(value, word);
                    }
                }
            }
        }
        CommandEffect::Reads
    }
}

/// Reports whether the value of an option may be a file that is read. Options that exclude files or control the output
/// are not.
fn names_a_file(name: &str) -> bool {
    const SHORT: NameList = NameList::new("-e -g -I -P -n -A -B -C -t -T -d -F -m -c -w -s -k");
    const PREFIXES: &str = "--exclude --include --ignore --glob --iglob --regexp --type --color \
                            --format --pretty --since --until --after --before --author --grep \
                            --sort --date --prune --context --max --line";
    if !name.starts_with("--") {
        return !SHORT.has(name);
    }
    let mut prefixes = PREFIXES.split_ascii_whitespace();
    !prefixes.any(|prefix| name.starts_with(prefix))
}
