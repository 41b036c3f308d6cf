//! The evaluation of a text, command by command.

use crate::specs;

use super::ast::{
    AndOr, CommandList, CommandNode, CompoundNode, Pipeline, RedirectNode, SimpleNode, WordNode,
    WordPiece,
};
use super::evaluated::EvaluatedCommand;
use super::evaluator::{Evaluator, ProofOutput, StreamContent};
use super::expand;
use super::parser::{MAX_DEPTH, ProofResult, fail};
use super::proven::ProvenCommand;
use super::state::{MAX_FOLDERS, ShellState, VariableChanges, VariableValue, below};

/// The maximum number of evaluated simple commands; the commands of a loop count for each value.
const MAX_STEPS: usize = 4_000;

impl<'a> Evaluator<'_, 'a> {
    /// Evaluates commands; returns the content of the last command's output.
    pub(super) fn list(
        &mut self,
        list: &CommandList<'a>,
        state: &mut ShellState<'a>,
        input: StreamContent,
    ) -> ProofResult<StreamContent> {
        let mut written = StreamContent::Unknown;
        for AndOr {
            first, conditional, ..
        } in &list.items
        {
            written = self.pipeline(first, state, input)?;
            for pipeline in conditional {
                let skipped = state.clone();
                let output = self.pipeline(pipeline, state, input)?;
                if output != written {
                    written = StreamContent::Unknown;
                }
                state.join(skipped);
            }
        }
        if list.items.len() != 1 {
            written = StreamContent::Unknown;
        }
        Ok(written)
    }

    /// Evaluates a line. If an expansion in the line fails, bash skips the rest of the line and continues with the next
    /// line.
    fn line(&mut self, line: &CommandList<'a>, state: &mut ShellState<'a>) -> ProofResult<()> {
        let mut begun = state.clone();
        let before = std::mem::take(&mut self.output.may_fail);
        self.list(line, state, StreamContent::Unknown)?;
        if std::mem::replace(&mut self.output.may_fail, before) {
            begun.widen(&VariableChanges::from_lists(&[line]));
            state.join(begun);
        }
        Ok(())
    }

    /// Returns the content of a substitution. Its commands run in a subshell.
    pub(super) fn output(
        &mut self,
        list: &CommandList<'a>,
        state: &ShellState<'a>,
    ) -> ProofResult<StreamContent> {
        self.output.inside += 1;
        let written = self.list(list, &mut state.clone(), StreamContent::Unknown)?;
        self.output.inside -= 1;
        Ok(written)
    }

    /// Evaluates the commands of a process substitution, and returns the content of their output. Bash does not wait
    /// for these commands, so they may only read.
    pub(super) fn process(
        &mut self,
        list: &CommandList<'a>,
        state: &ShellState<'a>,
    ) -> ProofResult<StreamContent> {
        let begun = self.output.commands.len();
        let written = self.output(list, state)?;
        let mut commands = self.output.commands[begun..].iter();
        if !commands.all(ProvenCommand::only_reads) {
            return fail("a process substitution does more than read");
        }
        Ok(written)
    }

    fn pipeline(
        &mut self,
        pipeline: &Pipeline<'a>,
        state: &mut ShellState<'a>,
        input: StreamContent,
    ) -> ProofResult<StreamContent> {
        if let [command] = &*pipeline.commands {
            return self.command(command, state, input);
        }
        let mut written = input;
        let before = self.output.evaluated.reads_from;
        for command in &pipeline.commands {
            written = self.command(command, &mut state.clone(), written)?;
            self.output.evaluated.reads_from = self.output.evaluated.last;
        }
        self.output.evaluated.reads_from = before;
        Ok(written)
    }

    fn command(
        &mut self,
        command: &CommandNode<'a>,
        state: &mut ShellState<'a>,
        input: StreamContent,
    ) -> ProofResult<StreamContent> {
        match command {
            CommandNode::Simple(simple) => self.simple(simple, state, input),
            CommandNode::Compound(compound, redirects) => {
                let input = self.redirects(redirects, state)?.unwrap_or(input);
                if let Some(first) = redirects.first() {
                    let text = self.source(&first.span);
                    self.output.evaluated.push_redirects(text);
                }
                self.compound(compound, state, input)
            }
        }
    }

    fn compound(
        &mut self,
        compound: &CompoundNode<'a>,
        state: &mut ShellState<'a>,
        input: StreamContent,
    ) -> ProofResult<StreamContent> {
        match compound {
            CompoundNode::Group(list) => return self.list(list, state, input),
            CompoundNode::Subshell(list) => return self.list(list, &mut state.clone(), input),
            CompoundNode::For { name, words, body } => {
                self.for_each(name, words, body, state, input)?;
            }
            CompoundNode::CountingFor { name, names, body } => {
                let changes = VariableChanges::from_lists(&[body]);
                self.set_alone(name, state)?;
                state.set(name, VariableValue::Number);
                state.widen(&changes);
                expand::numbers(names, state)?;
                expand::numbers(&[name], state)?;
                self.again(&[body], state, input)?;
            }
            CompoundNode::While { condition, body } => {
                state.widen(&VariableChanges::from_lists(&[condition, body]));
                self.again(&[condition, body], state, input)?;
            }
            CompoundNode::If {
                branches,
                otherwise,
            } => self.branches(branches, otherwise.as_ref(), state, input)?,
            CompoundNode::Case { word, arms } => {
                self.single(word, state)?;
                let mut after = state.clone();
                for (patterns, list) in arms {
                    for pattern in patterns {
                        self.single(pattern, state)?;
                    }
                    let mut taken = state.clone();
                    self.list(list, &mut taken, input)?;
                    after.join(taken);
                }
                *state = after;
            }
            CompoundNode::Test(operands) => {
                for (word, is_number) in operands {
                    let value = self.value(word, state)?;
                    if *is_number && !value.is_number() {
                        return fail("a test evaluates what need not be a number");
                    }
                }
            }
        }
        Ok(StreamContent::Unknown)
    }

    fn branches(
        &mut self,
        branches: &[(CommandList<'a>, CommandList<'a>)],
        otherwise: Option<&CommandList<'a>>,
        state: &mut ShellState<'a>,
        input: StreamContent,
    ) -> ProofResult<()> {
        let mut after: Option<ShellState<'a>> = None;
        for (condition, list) in branches {
            self.list(condition, state, input)?;
            let mut taken = state.clone();
            self.list(list, &mut taken, input)?;
            match &mut after {
                Some(after) => after.join(taken),
                None => after = Some(taken),
            }
        }
        if let Some(list) = otherwise {
            self.list(list, state, input)?;
        }
        if let Some(after) = after {
            state.join(after);
        }
        Ok(())
    }

    /// Evaluates the body of a loop once; the state is valid for each iteration.
    ///
    /// A loop may have no iteration, and `break` and `continue` may end an iteration anywhere, so that after the loop
    /// only the facts are known that are valid before each iteration.
    fn again(
        &mut self,
        lists: &[&CommandList<'a>],
        state: &mut ShellState<'a>,
        input: StreamContent,
    ) -> ProofResult<()> {
        let folders = state.folders.len();
        let before = state.clone();
        for list in lists {
            self.list(list, state, input)?;
        }
        if state.folders.len() > folders {
            return fail("it changes folder in a loop");
        }
        state.join(before);
        Ok(())
    }

    /// Evaluates the body of a `for` loop once for each value.
    fn for_each(
        &mut self,
        name: &'a str,
        words: &[WordNode<'a>],
        body: &CommandList<'a>,
        state: &mut ShellState<'a>,
        input: StreamContent,
    ) -> ProofResult<()> {
        self.set_alone(name, state)?;
        let mut values: Vec<VariableValue> = Vec::new();
        for word in words {
            for value in self.loop_values(word, state)? {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        let changes = VariableChanges::from_lists(&[body]);
        state.widen(&changes);
        let widened = state.clone();
        for value in values {
            let mut round = widened.clone();
            round.sets_program_variable |= state.sets_program_variable;
            round.set(name, value);
            self.again(&[body], &mut round, input)?;
            state.join(round);
        }
        Ok(())
    }

    fn loop_values(
        &mut self,
        word: &WordNode<'a>,
        state: &ShellState<'a>,
    ) -> ProofResult<Vec<VariableValue>> {
        if let [WordPiece::Substitution { is_quoted, .. }] = &*word.pieces
            && !is_quoted
        {
            return Ok(vec![self.value(word, state)?]);
        }
        let mut words = Vec::new();
        self.argument(word, state, &mut words)?;
        Ok(words.iter().map(expand::word_value).collect())
    }

    fn simple(
        &mut self,
        simple: &SimpleNode<'a>,
        state: &mut ShellState<'a>,
        input: StreamContent,
    ) -> ProofResult<StreamContent> {
        self.output.steps += 1;
        if self.output.steps > MAX_STEPS {
            return fail("it has too many commands");
        }
        let reads_from = self.output.evaluated.reads_from;
        let words = self.expand_words(&simple.words, state)?;
        let input = self.redirects(&simple.redirects, state)?.unwrap_or(input);
        let redirects = std::mem::take(&mut self.output.evaluated.redirects);
        let written = if !words.is_empty() {
            self.call(simple, &words, state, input)?
        } else if simple.words.is_empty() {
            self.assign(simple, state)?;
            StreamContent::Unknown
        } else {
            return fail("the program is not known before it runs");
        };
        let assignments = simple.assignments.iter();
        self.output.evaluated.push(EvaluatedCommand {
            text: self.source(&simple.span).to_owned(),
            assignments: assignments.map(|own| own.name.to_owned()).collect(),
            words,
            redirects,
            reads_from,
        });
        Ok(written)
    }

    /// Evaluates a separate text (`bash -c '…'`).
    pub(super) fn script(
        output: &mut ProofOutput,
        text: &str,
        folders: &[String],
    ) -> ProofResult<()> {
        output.depth += 1;
        if output.depth > MAX_DEPTH / 4 {
            return fail("its commands are nested too deeply");
        }
        if crate::heuristics::parse::unsupported_text(text).is_some() {
            return fail("it has characters that do not show");
        }
        let script = super::grammar::parse(text)?;
        output.has_open_input |= script.opens_input;
        let mut state = ShellState::in_folders(folders);
        let mut evaluator = Evaluator {
            text,
            documents: &script.documents,
            output,
        };
        for line in script.list.into_lines() {
            evaluator.line(&line, &mut state)?;
        }
        output.depth -= 1;
        Ok(())
    }

    /// Applies a change of folder.
    pub(super) fn change_folder(
        word: Option<&specs::Word>,
        state: &mut ShellState<'a>,
    ) -> ProofResult<()> {
        let target = match word {
            None => "~",
            Some(word) if word.text == "-" => {
                return fail("the folder that it goes back to is not known");
            }
            Some(word) => match (&word.pattern, word.is_exact) {
                (_, true) => &word.text,
                (Some(pattern), _) => pattern,
                _ => return fail("the folder that it changes to is not known before it runs"),
            },
        };
        let is_literal = target.starts_with('~') && word.is_some_and(|word| !word.is_tilde);
        let target = format!("{}{target}", if is_literal { "./" } else { "" });
        let folders = state.folders.iter();
        let mut reached: Vec<String> = folders.filter_map(|from| below(from, &target)).collect();
        reached.push(target);
        state.add_folders(reached);
        if state.folders.len() > MAX_FOLDERS {
            return fail("it changes folder too often");
        }
        Ok(())
    }

    /// Evaluates redirections; returns the content of the redirected input.
    pub(super) fn redirects(
        &mut self,
        redirects: &[RedirectNode<'a>],
        state: &ShellState<'a>,
    ) -> ProofResult<Option<StreamContent>> {
        let mut input = None;
        for redirect in redirects {
            input = self.redirect(redirect, state)?.or(input);
        }
        Ok(input)
    }
}
