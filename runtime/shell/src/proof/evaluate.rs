//! What a text does, followed from command to command.

use crate::specs;

use super::ast::{AndOr, Command, Compound, List, Pipeline, Redirect, Simple, Word};
use super::evaluated::Evaluated;
use super::evaluator::{Evaluator, Source};
use super::expand;
use super::folders::below;
use super::output::Output;
use super::parser::{MOST_DEPTH, Parsed, refuse};
use super::proven::Proven;
use super::state::{Changes, MOST_FOLDERS, State, Value};

/// How many simple commands are looked at; those of a loop count for each value.
const MOST_STEPS: usize = 4_000;

impl<'a> Evaluator<'_, 'a> {
    /// Follows commands; returns what the last of them writes.
    pub(super) fn list(
        &mut self,
        list: &List<'a>,
        state: &mut State<'a>,
        input: Source,
    ) -> Parsed<Source> {
        let mut written = Source::Unknown;
        for AndOr {
            first, conditional, ..
        } in &list.items
        {
            written = self.pipeline(first, state, input)?;
            for pipeline in conditional {
                let skipped = state.clone();
                let output = self.pipeline(pipeline, state, input)?;
                written = if output == written {
                    output
                } else {
                    Source::Unknown
                };
                state.join(skipped);
            }
        }
        let is_only = list.items.len() == 1;
        Ok(if is_only { written } else { Source::Unknown })
    }

    /// Follows a line. Where an expansion of it fails, bash drops the rest of the line, and runs the next.
    fn line(&mut self, line: &List<'a>, state: &mut State<'a>) -> Parsed<()> {
        let mut begun = state.clone();
        let before = std::mem::take(&mut self.output.may_fail);
        self.list(line, state, Source::Unknown)?;
        if std::mem::replace(&mut self.output.may_fail, before) {
            begun.widen(&Changes::from_lists(&[line]));
            state.join(begun);
        }
        Ok(())
    }

    /// What a substitution becomes. Its commands run in a shell of their own.
    pub(super) fn output(&mut self, list: &List<'a>, state: &State<'a>) -> Parsed<Source> {
        self.output.inside += 1;
        let written = self.list(list, &mut state.clone(), Source::Unknown)?;
        self.output.inside -= 1;
        Ok(written)
    }

    /// Follows the commands of a process substitution, and returns what they write. Bash does not wait for them, so that
    /// they may only read.
    pub(super) fn process(&mut self, list: &List<'a>, state: &State<'a>) -> Parsed<Source> {
        let begun = self.output.commands.len();
        let written = self.output(list, state)?;
        if self.output.commands[begun..].iter().all(Proven::only_reads) {
            Ok(written)
        } else {
            refuse("a process substitution does more than read")
        }
    }

    fn pipeline(
        &mut self,
        pipeline: &Pipeline<'a>,
        state: &mut State<'a>,
        input: Source,
    ) -> Parsed<Source> {
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
        command: &Command<'a>,
        state: &mut State<'a>,
        input: Source,
    ) -> Parsed<Source> {
        match command {
            Command::Simple(simple) => self.simple(simple, state, input),
            Command::Compound(compound, redirects) => {
                let input = self.redirects(redirects, state)?.unwrap_or(input);
                if let Some(first) = redirects.first() {
                    let text = self.text.get(first.span.clone()).unwrap_or_default();
                    self.output.evaluated.push_redirects(text);
                }
                self.compound(compound, state, input)
            }
        }
    }

    fn compound(
        &mut self,
        compound: &Compound<'a>,
        state: &mut State<'a>,
        input: Source,
    ) -> Parsed<Source> {
        match compound {
            Compound::Group(list) => return self.list(list, state, input),
            Compound::Subshell(list) => return self.list(list, &mut state.clone(), input),
            Compound::For { name, words, body } => {
                self.for_each(name, words, body, state, input)?;
            }
            Compound::Count { name, names, body } => {
                let changes = Changes::from_lists(&[body]);
                self.set_alone(name, state)?;
                state.set(name, Value::Number);
                state.widen(&changes);
                expand::numbers(names, state)?;
                expand::numbers(&[name], state)?;
                self.again(&[body], state, input)?;
            }
            Compound::While { condition, body } => {
                state.widen(&Changes::from_lists(&[condition, body]));
                self.again(&[condition, body], state, input)?;
            }
            Compound::If {
                branches,
                otherwise,
            } => self.branches(branches, otherwise.as_ref(), state, input)?,
            Compound::Case { word, arms } => {
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
            Compound::Test(operands) => {
                for (word, is_number) in operands {
                    let value = self.value(word, state)?;
                    if *is_number && !value.is_number() {
                        return refuse("a test evaluates what need not be a number");
                    }
                }
            }
        }
        Ok(Source::Unknown)
    }

    fn branches(
        &mut self,
        branches: &[(List<'a>, List<'a>)],
        otherwise: Option<&List<'a>>,
        state: &mut State<'a>,
        input: Source,
    ) -> Parsed<()> {
        let mut after: Option<State<'a>> = None;
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

    /// Follows what a loop repeats, once: the state holds for each round.
    ///
    /// A loop may have no round, and `break` and `continue` may end one anywhere, so that behind it no more is known
    /// than before each round.
    fn again(&mut self, lists: &[&List<'a>], state: &mut State<'a>, input: Source) -> Parsed<()> {
        let folders = state.folders.len();
        let before = state.clone();
        for list in lists {
            self.list(list, state, input)?;
        }
        if state.folders.len() > folders {
            return refuse("it changes folder in a loop");
        }
        state.join(before);
        Ok(())
    }

    /// Follows the body of a `for` once for each value.
    fn for_each(
        &mut self,
        name: &'a str,
        words: &[Word<'a>],
        body: &List<'a>,
        state: &mut State<'a>,
        input: Source,
    ) -> Parsed<()> {
        self.set_alone(name, state)?;
        let mut values: Vec<Value> = Vec::new();
        for word in words {
            for value in self.loop_values(word, state)? {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        let changes = Changes::from_lists(&[body]);
        state.widen(&changes);
        let widened = state.clone();
        for value in values {
            let mut round = widened.clone();
            round.is_steered |= state.is_steered;
            round.set(name, value);
            self.again(&[body], &mut round, input)?;
            state.join(round);
        }
        Ok(())
    }

    fn loop_values(&mut self, word: &Word<'a>, state: &State<'a>) -> Parsed<Vec<Value>> {
        use super::ast::Piece;
        let is_substitution = matches!(
            &*word.pieces,
            [Piece::Substitution {
                is_quoted: false,
                ..
            }]
        );
        if is_substitution {
            return Ok(vec![self.value(word, state)?]);
        }
        let mut words = Vec::new();
        self.argument(word, state, &mut words)?;
        Ok(words.iter().map(expand::word_value).collect())
    }

    fn simple(
        &mut self,
        simple: &Simple<'a>,
        state: &mut State<'a>,
        input: Source,
    ) -> Parsed<Source> {
        self.output.steps += 1;
        if self.output.steps > MOST_STEPS {
            return refuse("it has too many commands");
        }
        let reads_from = self.output.evaluated.reads_from;
        let words = self.expanded(&simple.words, state)?;
        let input = self.redirects(&simple.redirects, state)?.unwrap_or(input);
        let redirects = std::mem::take(&mut self.output.evaluated.redirects);
        let written = if !words.is_empty() {
            self.call(simple, &words, state, input)?
        } else if simple.words.is_empty() {
            self.assign(simple, state)?;
            Source::Unknown
        } else {
            return refuse("the program is not known before it runs");
        };
        let assignments = simple.assignments.iter();
        self.output.evaluated.push(Evaluated {
            text: self
                .text
                .get(simple.span.clone())
                .unwrap_or_default()
                .to_owned(),
            assignments: assignments
                .map(|assignment| assignment.name.to_owned())
                .collect(),
            words,
            redirects,
            reads_from,
        });
        Ok(written)
    }

    /// Follows a text of its own (`bash -c '…'`).
    pub(super) fn script(output: &mut Output, text: &str, folders: &[String]) -> Parsed<()> {
        output.depth += 1;
        if output.depth > MOST_DEPTH / 4 {
            return refuse("its commands are nested too deeply");
        }
        if crate::find::parse::refused(text).is_some() {
            return refuse("it has characters that do not show");
        }
        let script = super::grammar::parse(text)?;
        output.has_open_input |= script.opens_input;
        let mut state = State::in_folders(folders);
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

    /// Takes in a change of folder.
    pub(super) fn change_folder(word: Option<&specs::Word>, state: &mut State<'a>) -> Parsed<()> {
        let target = match word {
            None => "~",
            Some(word) if word.text == "-" => {
                return refuse("the folder that it goes back to is not known");
            }
            Some(word) => match (&word.pattern, word.is_exact) {
                (_, true) => &word.text,
                (Some(pattern), _) => pattern,
                _ => return refuse("the folder that it changes to is not known before it runs"),
            },
        };
        let is_literal = target.starts_with('~') && word.is_some_and(|word| !word.is_tilde);
        let target = if is_literal {
            format!("./{target}")
        } else {
            target.to_owned()
        };
        let mut reached: Vec<String> = state
            .folders
            .iter()
            .filter_map(|from| below(from, &target))
            .collect();
        reached.push(target);
        for folder in reached {
            if !state.folders.contains(&folder) {
                state.folders.push(folder);
            }
        }
        if state.folders.len() > MOST_FOLDERS {
            return refuse("it changes folder too often");
        }
        Ok(())
    }

    /// Follows redirections; returns what they put in the place of the input.
    pub(super) fn redirects(
        &mut self,
        redirects: &[Redirect<'a>],
        state: &State<'a>,
    ) -> Parsed<Option<Source>> {
        let mut input = None;
        for redirect in redirects {
            if let Some(source) = self.redirect(redirect, state)? {
                input = Some(source);
            }
        }
        Ok(input)
    }
}
