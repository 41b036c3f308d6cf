//! The expansion of words as written to words as the program receives them.

use crate::environment;
use crate::specs;

use super::ast::{WordNode, WordPiece};
use super::evaluator::{Evaluator, StreamContent};
use super::parser::{ProofResult, fail};
use super::state::{ShellState, VariableValue, is_number};

/// The maximum number of words of a brace expansion.
const MAX_WORDS: usize = 128;

/// The way in which a word is expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExpansionMode {
    /// As an argument, which may become several words.
    Argument,
    /// As a value, which remains one word; `*` has no special meaning.
    Value,
}

/// A word under construction.
#[derive(Default)]
struct ExpansionBuilder {
    word: specs::Word,
    /// The pattern that the word matches, with `?` in place of quoted wildcards; invalid if `is_patternless` is true.
    pattern: String,
    is_open: bool,
    is_patternless: bool,
    has_glob: bool,
    /// Whether the word exists even if it is empty.
    is_present: bool,
}

impl ExpansionBuilder {
    fn push(&mut self, text: &str) {
        self.is_present |= !text.is_empty();
        if !self.is_open {
            self.word.text.push_str(text);
        }
        if text.contains(['*', '?', '[', '\\']) {
            // `?` matches any one character, including the quoted one.
            self.pattern
                .push_str(&text.replace(['*', '?', '[', '\\'], "?"));
        } else {
            self.pattern.push_str(text);
        }
    }

    fn push_glob(&mut self, text: &str) {
        self.is_present = true;
        self.is_open = true;
        self.has_glob = true;
        self.pattern.push_str(text);
    }

    /// Marks the word as continued by unknown text.
    fn open(&mut self) {
        self.is_present = true;
        self.is_open = true;
        self.is_patternless = true;
    }

    /// Marks the word as continued by unknown text, and possibly by further words that begin with any text.
    fn split(&mut self) {
        self.open();
        self.word.may_be_many = true;
        self.word.text.clear();
        self.word.is_tilde = false;
    }

    fn is_empty(&self) -> bool {
        self.pattern.is_empty() && !self.is_open
    }

    fn finish(mut self) -> specs::Word {
        self.word.is_exact = !self.is_open;
        self.word.may_be_many |= self.has_glob;
        if self.is_open && !self.is_patternless {
            self.word.pattern = Some(self.pattern);
        }
        self.word
    }
}

impl<'a> Evaluator<'_, 'a> {
    /// Expands the words of a command.
    pub(super) fn expand_words(
        &mut self,
        words: &[WordNode<'a>],
        state: &ShellState<'a>,
    ) -> ProofResult<Vec<specs::Word>> {
        let mut expanded = Vec::with_capacity(words.len());
        for word in words {
            self.argument(word, state, &mut expanded)?;
        }
        Ok(expanded)
    }

    /// Expands an argument, which may become several words, or none.
    pub(super) fn argument(
        &mut self,
        word: &WordNode<'a>,
        state: &ShellState<'a>,
        into: &mut Vec<specs::Word>,
    ) -> ProofResult<()> {
        if let Some(text) = word.plain() {
            into.push(specs::Word::from_text(text));
            return Ok(());
        }
        if let [WordPiece::Process(list)] = &*word.pieces {
            self.process(list, state)?;
            into.push(specs::Word {
                is_listed: true,
                is_whole: true,
                ..specs::Word::with_known_prefix("/dev/fd/")
            });
            return Ok(());
        }
        if word.has_braces() {
            for parts in braces(&word.pieces)? {
                self.parts(parts.into_iter(), state, into)?;
            }
            return Ok(());
        }
        // A value with blanks is split into words if it is the whole word.
        if let [
            WordPiece::Variable {
                name,
                is_changed: false,
                is_quoted: false,
            },
        ] = &*word.pieces
            && let Some(VariableValue::Text(text)) = state.get(name)
            && !text.contains(['*', '?', '[', '\\'])
        {
            into.extend(text.split_ascii_whitespace().map(specs::Word::from_text));
            return Ok(());
        }
        self.parts(word.pieces.iter().map(BracePiece::Literal), state, into)
    }

    fn parts<'w>(
        &mut self,
        parts: impl Iterator<Item = BracePiece<'w, 'a>>,
        state: &ShellState<'a>,
        into: &mut Vec<specs::Word>,
    ) -> ProofResult<()>
    where
        'a: 'w,
    {
        let mut builder = ExpansionBuilder::default();
        for part in parts {
            match part {
                BracePiece::Literal(piece) => {
                    self.piece(piece, state, ExpansionMode::Argument, &mut builder)?;
                }
                BracePiece::Alternative(text) => builder.push(&text),
            }
        }
        if builder.is_present {
            // A lone `[` is the program of that name.
            let is_bracket = builder.has_glob && builder.pattern == "[";
            into.push(if is_bracket {
                specs::Word::from_text("[")
            } else {
                builder.finish()
            });
        }
        Ok(())
    }

    /// Expands a word that remains one word.
    pub(super) fn single(
        &mut self,
        word: &WordNode<'a>,
        state: &ShellState<'a>,
    ) -> ProofResult<specs::Word> {
        let mut builder = ExpansionBuilder::default();
        for piece in &word.pieces {
            self.piece(piece, state, ExpansionMode::Value, &mut builder)?;
        }
        Ok(builder.finish())
    }

    /// Returns the value that a word assigns to a variable.
    pub(super) fn value(
        &mut self,
        word: &WordNode<'a>,
        state: &ShellState<'a>,
    ) -> ProofResult<VariableValue> {
        if let [WordPiece::Number { names, may_fail }] = &*word.pieces {
            self.output.may_fail |= may_fail;
            numbers(names, state)?;
            return Ok(VariableValue::Number);
        }
        if let [WordPiece::Substitution { list, .. }] = &*word.pieces {
            return Ok(match self.output(list, state)? {
                StreamContent::Listed | StreamContent::Named => VariableValue::ListedPath,
                StreamContent::Number => VariableValue::Number,
                _ => VariableValue::Unknown,
            });
        }
        if let [
            WordPiece::Variable {
                name,
                is_changed: false,
                ..
            },
        ] = &*word.pieces
            && let Some(value) = state.get(name)
        {
            return Ok(value.clone());
        }
        // The folder may have blanks in its name, and may change later.
        let is_folder =
            |piece: &WordPiece<'_>| matches!(piece, WordPiece::Variable { name: "PWD", .. });
        let names_folder = word.pieces.iter().any(is_folder);
        let word = self.single(word, state)?;
        Ok(if names_folder {
            VariableValue::Unknown
        } else {
            word_value(&word)
        })
    }

    fn piece(
        &mut self,
        piece: &WordPiece<'a>,
        state: &ShellState<'a>,
        manner: ExpansionMode,
        builder: &mut ExpansionBuilder,
    ) -> ProofResult<()> {
        match piece {
            WordPiece::Quoted(text) => {
                builder.is_present = true;
                builder.push(text);
            }
            WordPiece::Glob(text) if manner == ExpansionMode::Argument => builder.push_glob(text),
            WordPiece::Plain(text) | WordPiece::Glob(text) => builder.push(text),
            WordPiece::Brace(byte) => builder.push(char::from(*byte).encode_utf8(&mut [0; 4])),
            WordPiece::Tilde => {
                builder.word.is_tilde = true;
                builder.push("~");
            }
            WordPiece::Number { names, may_fail } => {
                self.output.may_fail |= may_fail;
                numbers(names, state)?;
                builder.open();
            }
            WordPiece::Substitution { list, is_quoted } => {
                let output = self.output(list, state)?;
                let is_one = *is_quoted || manner == ExpansionMode::Value;
                unknown(output, is_one, builder);
            }
            WordPiece::Process(_) => return fail("a process substitution is a part of a word"),
            WordPiece::Variable {
                name,
                is_changed,
                is_quoted,
            } => {
                // A folder of plain characters is one word.
                let is_home = *name == "HOME"
                    && state.get(name).is_none()
                    && self.output.home.as_deref().is_some_and(is_plain_path);
                let is_one = *is_quoted || manner == ExpansionMode::Value || is_home;
                variable(name, *is_changed, is_one, state, builder)?;
            }
        }
        Ok(())
    }
}

fn is_plain_path(path: &str) -> bool {
    path.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte))
}

/// Checks that every name has a number as its value.
pub(super) fn numbers(names: &[&str], state: &ShellState<'_>) -> ProofResult<()> {
    let mut values = names.iter().map(|name| state.get(name));
    if !values.all(|value| value.is_some_and(VariableValue::is_number)) {
        return fail("an expression reads a variable that need not be a number");
    }
    Ok(())
}

fn unknown(source: StreamContent, is_one: bool, builder: &mut ExpansionBuilder) {
    let is_first = builder.is_empty();
    if is_one {
        builder.open();
    } else {
        builder.split();
    }
    builder.word.is_listed = is_first && source.is_listed();
}

fn variable(
    name: &str,
    is_changed: bool,
    is_one: bool,
    state: &ShellState<'_>,
    builder: &mut ExpansionBuilder,
) -> ProofResult<()> {
    let value = state.get(name);
    if value.is_none() && environment::is_secret(name) {
        return fail("it shows a secret of the environment");
    }
    let is_first = builder.is_empty();
    if is_changed {
        unknown(StreamContent::Unknown, is_one, builder);
        return Ok(());
    }
    match (value, name) {
        (Some(VariableValue::Text(text)), _) => push_known(text, is_one, builder),
        (Some(VariableValue::Home(text)), _)
            if is_first && (is_one || !text.contains([' ', '\t', '\n', '*', '?', '[', '\\'])) =>
        {
            builder.word.is_tilde = true;
            builder.push(text);
        }
        (Some(VariableValue::Pattern(pattern)), _) if is_one => {
            builder.push(pattern.split(['*', '?', '[']).next().unwrap_or_default());
            let begun = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
            builder.is_open = true;
            builder.is_present = true;
            builder.pattern.push_str(&pattern[begun..]);
        }
        (Some(VariableValue::Number), _) | (None, "?" | "#" | "$") => builder.open(),
        (Some(VariableValue::ListedPath), _) => unknown(StreamContent::Listed, is_one, builder),
        (None, "HOME") if is_first && is_one => {
            builder.word.is_tilde = true;
            builder.push("~");
        }
        (None, "PWD") if is_first && is_one => builder.push("."),
        // Even between quotes, `$@` becomes several words.
        (None, "@") => builder.split(),
        _ => unknown(StreamContent::Unknown, is_one, builder),
    }
    Ok(())
}

/// Appends the known text of a variable.
fn push_known(text: &str, is_one: bool, builder: &mut ExpansionBuilder) {
    if is_one {
        builder.is_present = true;
        builder.push(text);
    } else if text.contains([' ', '\t', '\n', '\\']) {
        builder.split();
    } else if let Some(at) = text.find(['*', '?', '[']) {
        builder.push(&text[..at]);
        builder.push_glob(&text[at..]);
    } else {
        builder.push(text);
    }
}

/// Returns the value of a variable that is set to a word.
pub(super) fn word_value(word: &specs::Word) -> VariableValue {
    match (&word.pattern, word.is_exact) {
        (_, true) if word.is_tilde => VariableValue::Home(word.text.clone()),
        (_, true) => VariableValue::Text(word.text.clone()),
        (Some(pattern), _) if !word.is_tilde => VariableValue::Pattern(pattern.clone()),
        _ if word.is_listed => VariableValue::ListedPath,
        _ => VariableValue::Unknown,
    }
}

/// A piece of a word, or the text that a brace expansion substitutes.
#[derive(Clone)]
enum BracePiece<'w, 'a> {
    Literal(&'w WordPiece<'a>),
    Alternative(String),
}

/// Expands braces (`{a,b}` and `{1..3}`) with plain characters in them; other braces are rejected.
fn braces<'w, 'a>(pieces: &'w [WordPiece<'a>]) -> ProofResult<Vec<Vec<BracePiece<'w, 'a>>>> {
    let mut words: Vec<Vec<BracePiece<'w, 'a>>> = vec![Vec::new()];
    let mut rest = pieces;
    let mut before = None;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if !matches!(first, WordPiece::Brace(_)) {
            before = Some(first);
            let pieces = words.iter_mut();
            pieces.for_each(|word| word.push(BracePiece::Literal(first)));
            continue;
        }
        let is_close = |piece: &WordPiece<'_>| matches!(piece, WordPiece::Brace(b'}'));
        let close = after.iter().position(is_close);
        let Some(close) = close.filter(|_| matches!(first, WordPiece::Brace(b'{'))) else {
            return fail("its braces cannot be read");
        };
        let choices = choices(&after[..close])?;
        rest = &after[close + 1..];
        // Bash expands braces first: `$x{a,b}` reads `$xa` and `$xb`.
        let is_behind_name = matches!(before, Some(WordPiece::Variable { .. }));
        if is_behind_name && choices.len() > 1 {
            return fail("braces stand behind a variable");
        }
        before = None;
        if words.len() * choices.len() > MAX_WORDS {
            return fail("its braces stand for too many words");
        }
        let chosen = |word: &Vec<BracePiece<'w, 'a>>, choice: &String| {
            let mut word = word.clone();
            word.push(BracePiece::Alternative(choice.clone()));
            word
        };
        words = words
            .iter()
            .flat_map(|word| choices.iter().map(move |choice| chosen(word, choice)))
            .collect();
    }
    Ok(words)
}

/// Returns the alternatives of the text between braces; returns the braces themselves if they are not an expansion.
fn choices(inner: &[WordPiece<'_>]) -> ProofResult<Vec<String>> {
    let mut choices = vec![String::new()];
    for piece in inner {
        match piece {
            WordPiece::Plain(text) => {
                if let Some(last) = choices.last_mut() {
                    last.push_str(text);
                }
            }
            WordPiece::Brace(b',') => choices.push(String::new()),
            _ => return fail("its braces cannot be read"),
        }
    }
    if choices.iter().any(|choice| choice.starts_with('~')) {
        return fail("bash may expand a `~` at this place");
    }
    if choices.len() > 1 {
        return Ok(choices);
    }
    let text = choices.remove(0);
    let Some((from, to)) = text.split_once("..") else {
        return Ok(vec![format!("{{{text}}}")]);
    };
    let number = |text: &str| {
        let is_plain = is_number(text) && text.len() < 9;
        let is_padded = text.trim_start_matches('-').starts_with('0') && text.len() > 1;
        text.parse::<i64>().ok().filter(|_| is_plain && !is_padded)
    };
    let (Some(from), Some(to)) = (number(from), number(to)) else {
        return fail("its braces cannot be read");
    };
    if from.abs_diff(to) >= MAX_WORDS as u64 {
        return fail("its braces stand for too many words");
    }
    let numbers = (from.min(to)..=from.max(to)).map(|number| number.to_string());
    Ok(if from > to {
        numbers.rev().collect()
    } else {
        numbers.collect()
    })
}
