//! The analysis of a program with its arguments, through all wrappers.

use super::program::{Program, acted_on, below, edits, join_words};
use super::{CommandContext, LineAnalysis, MAX_FOLDERS, MAX_WRAPPERS};
use super::{FindingKind, UnknownExecution};
use crate::dangerous;
use crate::environment;
use crate::git;
use crate::heuristics::command_facts::{CommandEffect, CommandFacts};
use crate::heuristics::read_only_commands;
use crate::heuristics::sources;
use crate::heuristics::wrappers::{self, WrappedCommand, Wrapper, WrapperEffect};
use crate::script::ScriptWord;

impl LineAnalysis {
    /// Judges a program with its arguments, through all wrappers.
    pub(super) fn invocation(
        &mut self,
        part: usize,
        words: &[ScriptWord<'_>],
        mut context: CommandContext<'_>,
        facts: &mut CommandFacts,
    ) {
        let Some(first) = words.first() else { return };
        if first.is_dynamic
            || first.is_glob
            || first.text.is_empty()
            || context.gets_arguments && first.text.contains("{}")
        {
            let why = "the program is not known before it runs";
            return self.unknown(part, words, UnknownExecution::Program, why);
        }
        if context.wrappers > MAX_WRAPPERS {
            let why = "its commands are nested too deeply";
            return self.unknown(part, words, UnknownExecution::Input, why);
        }
        let program = Program::parse(&first.text);
        context.runs_elsewhere |= !program.is_trusted;
        if let Some(found) = dangerous::find(
            program.name,
            words,
            context.runs_elsewhere && program.is_trusted,
            context.home,
        ) {
            self.danger(part, found);
        }
        self.removed_from_folder(part, words, program.name, context.home);
        self.candidates(part, words, &program, context.home);
        self.whole_of_home(part, program.name, words);
        match wrappers::unwrap(program.name, words) {
            Some(wrapper) => self.wrapper(part, words, &program, wrapper, context, facts),
            None => self.simple(part, words, &program, context, facts),
        }
    }

    /// Adds a spelling of a command, which deny rules are matched against.
    pub(super) fn spelling(&mut self, part: usize, words: &[ScriptWord<'_>]) {
        let text = join_words(words);
        let spellings = &mut self.parts[part].spellings;
        if !spellings.contains(&text) {
            spellings.push(text);
        }
    }

    pub(super) fn wrapper(
        &mut self,
        part: usize,
        words: &[ScriptWord<'_>],
        program: &Program<'_>,
        wrapper: Wrapper,
        context: CommandContext<'_>,
        facts: &mut CommandFacts,
    ) {
        let mut inside = context;
        inside.wrappers += 1;
        inside.runs_elsewhere |= wrapper.effect == WrapperEffect::Other;
        inside.gets_arguments |= wrapper.effect == WrapperEffect::AddsArguments;
        if wrapper.effect != WrapperEffect::Transparent && wrapper.inner == WrappedCommand::Nothing
        {
            self.parts[part].effect = CommandEffect::Other;
        }
        if !matches!(
            wrapper.inner,
            WrappedCommand::Command(_) | WrappedCommand::Script(_)
        ) {
            for word in words {
                facts.read_text(&word.text, word);
            }
        }
        match wrapper.inner {
            WrappedCommand::Command(at) => {
                self.invocation(part, &words[at..], inside, facts);
                self.spelling(part, words);
                if wrapper.effect == WrapperEffect::Other {
                    self.parts[part].effect = CommandEffect::Other;
                }
                if wrapper.effect == WrapperEffect::AddsArguments
                    && self.parts[part].effect == CommandEffect::Edits
                {
                    self.parts[part].effect = CommandEffect::Other;
                }
            }
            WrappedCommand::Script(text) => {
                self.spelling(part, words);
                if context.gets_arguments && text.contains("{}") {
                    self.parts[part].note_unknown(UnknownExecution::Input);
                }
                if wrapper.effect != WrapperEffect::Transparent || context.gets_arguments {
                    self.parts[part].effect = CommandEffect::Other;
                }
                self.script(
                    &text,
                    context.home,
                    context.depth + 1,
                    inside.runs_elsewhere,
                );
            }
            WrappedCommand::Unknown(why) => {
                let unknown = if self.parts[part].text.contains("<(") {
                    UnknownExecution::Input
                } else {
                    UnknownExecution::Program
                };
                self.unknown(part, words, unknown, why);
            }
            WrappedCommand::Input => self.input(part, words, program, inside),
            WrappedCommand::Nothing => {
                self.spelling(part, words);
                if context.gets_arguments {
                    self.parts[part].note_unknown(UnknownExecution::Input);
                }
            }
        }
    }

    /// Marks a command as one that runs unknown commands.
    fn unknown(
        &mut self,
        part: usize,
        words: &[ScriptWord<'_>],
        unknown: UnknownExecution,
        why: &'static str,
    ) {
        self.spelling(part, words);
        self.parts[part].note_unknown(unknown);
        self.parts[part].effect = CommandEffect::Other;
        self.unclear(part, why);
    }

    /// Judges a shell that runs the commands of its input.
    pub(super) fn input(
        &mut self,
        part: usize,
        words: &[ScriptWord<'_>],
        program: &Program<'_>,
        context: CommandContext<'_>,
    ) {
        self.spelling(part, words);
        self.parts[part].effect = CommandEffect::Other;
        let text = sources::input_text(context.script, context.index);
        let names = sources::programs_before(context.script, context.index);
        if let Some(danger) = dangerous::runs_output_of(names) {
            self.danger(part, danger);
        }
        match text {
            Some(text) => self.script(
                &text,
                context.home,
                context.depth + 1,
                context.runs_elsewhere,
            ),
            None => {
                let why = format!(
                    "`{}` runs what it reads, which is not known before it runs",
                    program.name
                );
                self.parts[part].note_unknown(UnknownExecution::Input);
                self.find(part, FindingKind::Unclear, why, true);
            }
        }
    }

    /// Judges a command that, by its name, runs no other command.
    pub(super) fn simple(
        &mut self,
        part: usize,
        words: &[ScriptWord<'_>],
        program: &Program<'_>,
        context: CommandContext<'_>,
        facts: &mut CommandFacts,
    ) {
        if !program.is_trusted {
            self.spelling(part, words);
        }
        self.named_spelling(part, words, program);
        let before = self.parts[part].effect;
        let effect = if program.is_trusted {
            self.judge_program(part, words, program.name, context, facts)
        } else {
            CommandEffect::Other
        };
        self.parts[part].effect = before.max(effect);
        self.run_by_find(part, words, program, context);
        if effect == CommandEffect::Other {
            if let Some(danger) = dangerous::changes_rules(words, context.gets_arguments) {
                self.danger(part, danger);
            }
            for word in &words[1..] {
                acted_on(word, facts);
            }
            if dangerous::interprets(program.name) {
                let names = sources::programs_before(context.script, context.index);
                if let Some(danger) = dangerous::runs_output_of(names) {
                    self.danger(part, danger);
                }
                if sources::is_script_piped(context.script, context.index, words) {
                    self.parts[part].note_unknown(UnknownExecution::Input);
                }
            }
        }
        if context.runs_elsewhere && effect != CommandEffect::Edits {
            self.parts[part].effect = self.parts[part].effect.max(before);
        }
    }

    /// Adds the spelling of a command with the bare name of its program.
    pub(super) fn named_spelling(
        &mut self,
        part: usize,
        words: &[ScriptWord<'_>],
        program: &Program<'_>,
    ) {
        let mut text = program.name.to_owned();
        let mut rest = &words[1..];
        if program.name == "git"
            && let Some(at) = git::subcommand(words)
        {
            if at > 1 {
                // The spelling of `git -C folder push` is `git push`: the command is named by its sub-command.
                self.spelling(part, words);
            }
            rest = &words[at..];
        }
        for word in rest {
            text.push(' ');
            text.push_str(&word.text);
        }
        self.parts[part].spellings.push(text);
    }

    pub(super) fn judge_program(
        &mut self,
        part: usize,
        words: &[ScriptWord<'_>],
        program: &str,
        context: CommandContext<'_>,
        facts: &mut CommandFacts,
    ) -> CommandEffect {
        if let Some(effect) = edits(program, words, facts, context.gets_arguments) {
            return effect;
        }
        let Some(effect) = read_only_commands::judge(program, words, facts) else {
            return CommandEffect::Other;
        };
        if let Some((reason, safety)) = facts.refusal.take() {
            let layer = match program {
                "sed" => FindingKind::Sed,
                "printenv" => FindingKind::Secret,
                _ => FindingKind::Unclear,
            };
            self.find(part, layer, reason, safety);
        }
        if effect == CommandEffect::Reads
            && context.gets_arguments
            && !read_only_commands::takes_text(program)
        {
            match sources::piped_names(context.script, context.index) {
                sources::PipedNames::Files => {}
                sources::PipedNames::Words(names) => names.iter().for_each(|name| facts.read(name)),
                sources::PipedNames::Unknown => {
                    let why = "an argument is not known before it runs";
                    self.find(part, FindingKind::Unclear, why, false);
                    return CommandEffect::Other;
                }
            }
        }
        if read_only_commands::takes_text(program)
            && words
                .iter()
                .flat_map(|word| &word.variables)
                .any(|name| environment::is_secret(name))
        {
            let why = "it shows a secret of the environment";
            self.find(part, FindingKind::Secret, why, true);
        }
        if matches!(program, "cd" | "chdir") && effect == CommandEffect::Reads {
            self.change_folder(part, words);
        }
        effect
    }

    pub(super) fn change_folder(&mut self, part: usize, words: &[ScriptWord<'_>]) {
        let target = words[1..]
            .iter()
            .find(|word| !word.text.starts_with('-') || &*word.text == "-");
        let folder = match target {
            None => "~".to_owned(),
            Some(word) if word.text == "-" => {
                let why = "the folder that it goes back to is not known";
                return self.find(part, FindingKind::Unclear, why, false);
            }
            Some(word) if word.text.starts_with('~') && !word.is_home => format!("./{}", word.text),
            Some(word) => word.text.to_string(),
        };
        let mut reached: Vec<String> = self
            .folders
            .iter()
            .filter_map(|from| below(from, &folder))
            .collect();
        let is_absolute = folder.starts_with(['/', '~']);
        self.last_folders = if is_absolute {
            vec![folder.clone()]
        } else {
            self.last_folders
                .iter()
                .filter_map(|from| below(from, &folder))
                .collect()
        };
        reached.push(folder);
        self.folders.extend(reached);
        self.folders.dedup();
        if self.folders.len() > MAX_FOLDERS {
            self.folders.truncate(MAX_FOLDERS);
            self.unclear(part, "it changes folder too often");
        }
    }
}
