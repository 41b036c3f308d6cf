//! A program with its arguments, and the commands that it runs.

use crate::environment::{self, VariableEffect};
use crate::heuristics::analysis::{Program, acted_on};
use crate::heuristics::command_facts::CommandFacts;
use crate::heuristics::wrappers;
use crate::script;
use crate::specs::{self, CommandJudgement, Effect, InnerCommand};
use crate::suggest;

use super::ast::SimpleNode;
use super::evaluated::literal;
use super::evaluator::{Evaluator, StreamContent};
use super::parser::{ProofResult, fail};
use super::proven::{ProvenCommand, Spelling};
use super::state::{ShellState, VariableValue};
use super::{builtins, listing};

/// The maximum number of wrappers before a program.
const MAX_WRAPPERS: usize = 8;

/// The context of a program call.
#[derive(Clone, Copy)]
struct CallContext<'p> {
    folders: &'p [String],
    input: StreamContent,
    /// The effect of the variables that are set before the program.
    variable_effect: VariableEffect,
    /// The number of wrappers before the program.
    wrappers: usize,
}

impl<'a> Evaluator<'_, 'a> {
    /// Evaluates a command that has words.
    pub(super) fn call(
        &mut self,
        simple: &SimpleNode<'a>,
        words: &[specs::Word],
        state: &mut ShellState<'a>,
        input: StreamContent,
    ) -> ProofResult<StreamContent> {
        let text = self.source(&simple.span);
        let weight = self.variable_effect(simple, words, state)?;
        if let Some(source) = self.builtin(words, simple, state, input)? {
            let effect = if weight == VariableEffect::Harmless {
                Effect::Reads
            } else {
                Effect::Acts
            };
            let mut proven = ProvenCommand::new(effect, Spelling::from_words(words));
            proven.is_opaque = weight == VariableEffect::Steers;
            self.output.push(proven.placed(text, &[]));
            return Ok(source);
        }
        let context = CallContext {
            folders: &state.folders,
            input,
            variable_effect: weight,
            wrappers: 0,
        };
        let mut call = self.invocation(words, context)?;
        let written = if call.only_reads() {
            listing::output(words, input)
        } else {
            StreamContent::Unknown
        };
        // No rule is suggested for a command that receives a secret.
        let mut assignments = simple.assignments.iter();
        if assignments.any(|assignment| environment::is_secret(assignment.name)) {
            call.suggestion = None;
        }
        self.output.push(call.placed(text, &state.folders));
        Ok(written)
    }

    /// Returns the effect of the variables that are set for a command.
    fn variable_effect(
        &mut self,
        simple: &SimpleNode<'a>,
        words: &[specs::Word],
        state: &ShellState<'a>,
    ) -> ProofResult<VariableEffect> {
        let mut weight = VariableEffect::Harmless;
        if state.sets_program_variable {
            weight = VariableEffect::Neutral;
        }
        for assignment in &simple.assignments {
            let value = self.value(&assignment.value, state)?;
            if environment::is_managed_by_bash(assignment.name) {
                return fail("it sets a variable of the shell itself");
            }
            let is_read = words.first().and_then(specs::Word::known) == Some("read");
            if assignment.name == "IFS" && is_read && !assignment.appends {
                continue;
            }
            let own = match &value {
                VariableValue::Text(text) if environment::is_plain_pager(assignment.name, text) => {
                    VariableEffect::Harmless
                }
                _ => environment::classify_variable(assignment.name),
            };
            weight = weight.max(own);
        }
        Ok(weight)
    }

    /// Sets variables for the following commands.
    pub(super) fn assign(
        &mut self,
        simple: &SimpleNode<'a>,
        state: &mut ShellState<'a>,
    ) -> ProofResult<()> {
        for assignment in &simple.assignments {
            let value = self.value(&assignment.value, state)?;
            let known = Some(value).filter(|_| !assignment.appends);
            self.set_alone(assignment.name, state)?;
            state.set(assignment.name, known.unwrap_or(VariableValue::Unknown));
        }
        Ok(())
    }

    /// Checks that setting a shell variable does not change the meaning of later commands.
    pub(super) fn set_alone(&mut self, name: &str, state: &mut ShellState<'a>) -> ProofResult<()> {
        if environment::is_local(name) && !environment::is_managed_by_bash(name) {
            return Ok(());
        }
        self.set_exported(name, state)
    }

    /// Checks that setting an exported variable does not change the programs that inherit it.
    pub(super) fn set_exported(
        &mut self,
        name: &str,
        state: &mut ShellState<'a>,
    ) -> ProofResult<()> {
        if environment::is_managed_by_bash(name) {
            return fail("it sets a variable of the shell itself");
        }
        match environment::classify_variable(name) {
            VariableEffect::Harmless => {}
            VariableEffect::Neutral => state.sets_program_variable = true,
            VariableEffect::Steers => return fail("it sets a variable that changes what runs"),
        }
        Ok(())
    }

    fn invocation(
        &mut self,
        words: &[specs::Word],
        context: CallContext<'_>,
    ) -> ProofResult<ProvenCommand> {
        let name = words
            .first()
            .filter(|word| !word.is_tilde)
            .and_then(specs::Word::known)
            .filter(|name| !name.is_empty());
        let Some(name) = name else {
            return fail("the program is not known before it runs");
        };
        if context.wrappers > MAX_WRAPPERS {
            return fail("its commands are nested too deeply");
        }
        let program = Program::parse(name);
        if builtins::changes_shell(name) {
            return fail("it changes the shell in a way that is not followed");
        }
        if program.is_trusted && program.name == "bash" {
            return self.shell(words, context);
        }
        // The path affects the result: `/bin/echo` is not the builtin `echo`.
        let judged = specs::judge(words)?;
        let mut bare;
        let words = if program.is_trusted && program.name.len() < name.len() {
            bare = words.to_vec();
            bare[0] = specs::Word::from_text(program.name);
            &bare
        } else {
            words
        };
        self.prove_judged(words, &program, judged, context)
    }

    fn prove_judged(
        &mut self,
        words: &[specs::Word],
        program: &Program<'_>,
        judged: CommandJudgement,
        context: CallContext<'_>,
    ) -> ProofResult<ProvenCommand> {
        let mut effect = judged.effect;
        // The folder determines the repository that git reads, and the repository's configuration names programs.
        let is_elsewhere = program.name == "git" && !context.folders.is_empty();
        if judged.network || is_elsewhere || context.variable_effect != VariableEffect::Harmless {
            effect = Effect::Acts;
        }
        let spelling = Spelling::from_words(words);
        let mut call = ProvenCommand {
            is_opaque: judged.is_opaque || context.variable_effect == VariableEffect::Steers,
            file_accesses: judged.touches,
            ..ProvenCommand::new(effect, spelling)
        };
        let literal: Vec<script::ScriptWord<'_>> = words.iter().map(literal).collect();
        if effect == Effect::Acts {
            let mut facts = CommandFacts::default();
            let arguments = literal.iter().skip(1);
            arguments.for_each(|word| acted_on(word, &mut facts));
            call.file_accesses.append(&mut facts.touches);
        }
        let mut runs = judged.runs;
        let is_one = runs.len() == 1 && !matches!(program.name, "find" | "fd" | "fdfind");
        if is_one && let Some(inner) = runs.pop() {
            let is_plain = judged.effect == Effect::Reads;
            self.prove_wrapped(words, inner, is_plain, context, &mut call)?;
            return Ok(call);
        }
        for inner in runs {
            let inner = self.inner(inner, context)?;
            self.output.push(inner);
        }
        if call.effect == Effect::Acts && program.is_trusted {
            let named = self.behind(words, &literal, program, context, &mut call)?;
            call.spellings[0].named = named;
        }
        call.spellings.extend(git_spelling(program, words));
        if !call.is_opaque && call.effect != Effect::Reads {
            call.suggestion = suggest::prefix(program.name, &literal);
        }
        Ok(call)
    }

    /// Evaluates the inner command of a program that acts, and returns the length of the prefix that a rule must name,
    /// in bytes.
    fn behind(
        &mut self,
        words: &[specs::Word],
        literal: &[script::ScriptWord<'_>],
        program: &Program<'_>,
        context: CallContext<'_>,
        call: &mut ProvenCommand,
    ) -> ProofResult<usize> {
        let Some(wrapper) = wrappers::unwrap(program.name, literal) else {
            return Ok(0);
        };
        match wrapper.inner {
            wrappers::WrappedCommand::Command(at)
                if words[at..].iter().all(|word| word.is_exact) =>
            {
                let inside = CallContext {
                    wrappers: context.wrappers + 1,
                    ..context
                };
                let inner = self.invocation(&words[at..], inside)?;
                call.is_opaque |= inner.is_opaque;
                call.file_accesses.extend(inner.file_accesses);
                Ok(Spelling::from_words(&words[..=at]).text.len())
            }
            // The command of a wrapper that reads a command file: the rule must name the file.
            wrappers::WrappedCommand::Nothing => Ok(words
                .get(..2)
                .map_or(0, |named| Spelling::from_words(named).text.len())),
            _ => {
                call.is_opaque = true;
                Ok(usize::MAX)
            }
        }
    }

    /// Evaluates a wrapper with its one inner command. A plain wrapper has no effect of its own that needs a rule.
    fn prove_wrapped(
        &mut self,
        words: &[specs::Word],
        inner: InnerCommand,
        is_plain: bool,
        context: CallContext<'_>,
        call: &mut ProvenCommand,
    ) -> ProofResult<()> {
        let program = inner.words.first().map(|word| word.text.clone());
        let inside = self.inside(inner, context)?;
        call.effect = call.effect.max(inside.effect);
        call.is_opaque |= inside.is_opaque;
        call.file_accesses.extend(inside.file_accesses);
        call.suggestion = inside.suggestion;
        // A rule about the wrapper alone does not cover the program behind it.
        let end = program.and_then(|program| {
            let at = words.iter().rposition(|word| word.text == program)?;
            Some(Spelling::from_words(&words[..=at]).text.len())
        });
        call.spellings[0].named = end.unwrap_or(usize::MAX);
        if is_plain {
            call.spellings.splice(..0, inside.spellings);
        }
        Ok(())
    }

    /// Evaluates one of several commands that a program runs, as a separate part.
    fn inner(
        &mut self,
        inner: InnerCommand,
        context: CallContext<'_>,
    ) -> ProofResult<ProvenCommand> {
        let shown: Vec<&str> = inner.words.iter().map(|word| &*word.text).collect();
        let text = shown.join(" ");
        let mut call = self.inside(inner, context)?;
        call.suggestion = None;
        Ok(call.placed(&text, context.folders))
    }

    fn inside(
        &mut self,
        inner: InnerCommand,
        context: CallContext<'_>,
    ) -> ProofResult<ProvenCommand> {
        let mut words = inner.words;
        if let Some(word) = inner.input.and_then(|at| words.get_mut(at))
            && context.input.is_listed()
        {
            let is_below =
                |folder: &String| !folder.starts_with(['/', '~']) && !folder.contains("..");
            word.is_listed = true;
            word.is_whole &=
                context.input == StreamContent::Named && context.folders.iter().all(is_below);
        }
        let mut weight = context.variable_effect;
        for assignment in &inner.assignments {
            let name = assignment.text.split('=').next().unwrap_or_default();
            weight = weight.max(environment::classify_variable(name));
        }
        let program = words.first().and_then(specs::Word::known);
        if program.is_some_and(builtins::is_simulated) {
            return fail("it changes the shell in a way that is not followed");
        }
        let inside = CallContext {
            variable_effect: weight,
            wrappers: context.wrappers + 1,
            ..context
        };
        self.invocation(&words, inside)
    }

    /// Evaluates `bash -c '…'` by its text. Other invocations of a shell are not proven.
    fn shell(
        &mut self,
        words: &[specs::Word],
        context: CallContext<'_>,
    ) -> ProofResult<ProvenCommand> {
        let file = words.get(1).and_then(specs::Word::known);
        if file.is_some_and(|file| !file.is_empty() && !file.starts_with(['-', '+'])) {
            let mut spelling = Spelling::from_words(words);
            spelling.named = Spelling::from_words(&words[..2]).text.len();
            let mut call = ProvenCommand::new(Effect::Acts, spelling);
            call.is_opaque = context.variable_effect == VariableEffect::Steers;
            return Ok(call);
        }
        let text = match words {
            [_, option, text] if option.known() == Some("-c") => text.known(),
            _ => None,
        };
        let is_plain = context.variable_effect == VariableEffect::Harmless;
        let Some(text) = text.filter(|_| is_plain) else {
            return fail("a shell runs what is not known before it runs");
        };
        Evaluator::script(self.output, text, context.folders)?;
        let mut spelling = Spelling::from_words(words);
        spelling.named = usize::MAX;
        Ok(ProvenCommand::new(Effect::Reads, spelling))
    }
}

/// Returns the spelling of `git -C folder push` as `git push`: the command is named by its sub-command.
fn git_spelling(program: &Program<'_>, words: &[specs::Word]) -> Option<Spelling> {
    if program.name != "git" || !words.get(1)?.text.starts_with('-') {
        return None;
    }
    let literal: Vec<script::ScriptWord<'_>> = words.iter().map(literal).collect();
    let at = crate::git::subcommand(&literal).filter(|at| *at > 1)?;
    let is_known = words[..=at].iter().all(|word| word.is_exact);
    let mut named = vec![words[0].clone()];
    named.extend(words[at..].iter().cloned());
    is_known.then(|| Spelling::from_words(&named))
}
