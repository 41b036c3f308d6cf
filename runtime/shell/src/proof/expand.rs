//! From words as they are written to words as a program gets them.

use crate::environment;
use crate::specs;

use super::ast::{Piece, Word};
use super::evaluator::{Evaluator, Source};
use super::parser::{Parsed, refuse};
use super::state::{State, Value, is_number};

/// How many words braces may stand for.
const MOST_WORDS: usize = 128;

/// How a word is expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// As an argument: it may become several.
    Argument,
    /// As a value: it stays one, and `*` is a star.
    Value,
}

/// A word in the making.
#[derive(Default)]
struct Builder {
    word: specs::Word,
    /// What the word matches, while that is known and quotes hide no star.
    pattern: String,
    is_open: bool,
    is_patternless: bool,
    has_glob: bool,
    /// Whether it is a word even if it is empty.
    is_there: bool,
}

impl Builder {
    fn push(&mut self, text: &str) {
        self.is_there |= !text.is_empty();
        if !self.is_open {
            self.word.text.push_str(text);
        }
        if text.contains(['*', '?', '[', '\\']) {
            // One character or another: what a quoted star matches is among it.
            self.pattern
                .push_str(&text.replace(['*', '?', '[', '\\'], "?"));
        } else {
            self.pattern.push_str(text);
        }
    }

    fn push_glob(&mut self, text: &str) {
        self.is_there = true;
        self.is_open = true;
        self.has_glob = true;
        self.pattern.push_str(text);
    }

    /// More follows, in the same word.
    fn open(&mut self) {
        self.is_there = true;
        self.is_open = true;
        self.is_patternless = true;
    }

    /// More follows, and perhaps further words that begin with anything.
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
    pub(super) fn expanded(
        &mut self,
        words: &[Word<'a>],
        state: &State<'a>,
    ) -> Parsed<Vec<specs::Word>> {
        let mut expanded = Vec::with_capacity(words.len());
        for word in words {
            self.argument(word, state, &mut expanded)?;
        }
        Ok(expanded)
    }

    /// Expands an argument, which may become several words, or none.
    pub(super) fn argument(
        &mut self,
        word: &Word<'a>,
        state: &State<'a>,
        into: &mut Vec<specs::Word>,
    ) -> Parsed<()> {
        if let Some(text) = word.plain() {
            into.push(specs::Word::exact(text));
            return Ok(());
        }
        if let [Piece::Process(list)] = &*word.pieces {
            self.process(list, state)?;
            into.push(specs::Word {
                is_listed: true,
                is_whole: true,
                ..specs::Word::beginning("/dev/fd/")
            });
            return Ok(());
        }
        if word.has_braces() {
            for parts in braces(&word.pieces)? {
                self.parts(parts.into_iter(), state, into)?;
            }
            return Ok(());
        }
        // A value with blanks becomes its words, where it stands alone.
        if let [
            Piece::Variable {
                name,
                is_changed: false,
                is_quoted: false,
            },
        ] = &*word.pieces
            && let Some(Value::Text(text)) = state.get(name)
            && !text.contains(['*', '?', '[', '\\'])
        {
            into.extend(text.split_ascii_whitespace().map(specs::Word::exact));
            return Ok(());
        }
        self.parts(word.pieces.iter().map(BracePiece::Written), state, into)
    }

    fn parts<'w>(
        &mut self,
        parts: impl Iterator<Item = BracePiece<'w, 'a>>,
        state: &State<'a>,
        into: &mut Vec<specs::Word>,
    ) -> Parsed<()>
    where
        'a: 'w,
    {
        let mut builder = Builder::default();
        for part in parts {
            match part {
                BracePiece::Written(piece) => {
                    self.piece(piece, state, Manner::Argument, &mut builder)?;
                }
                BracePiece::Choice(text) => builder.push(&text),
            }
        }
        if builder.is_there {
            // `[` alone is the program of that name.
            let is_bracket = builder.has_glob && builder.pattern == "[";
            into.push(if is_bracket {
                specs::Word::exact("[")
            } else {
                builder.finish()
            });
        }
        Ok(())
    }

    /// Expands a word that stays one.
    pub(super) fn single(&mut self, word: &Word<'a>, state: &State<'a>) -> Parsed<specs::Word> {
        let mut builder = Builder::default();
        for piece in &word.pieces {
            self.piece(piece, state, Manner::Value, &mut builder)?;
        }
        Ok(builder.finish())
    }

    /// Says what a variable is set to by a word.
    pub(super) fn value(&mut self, word: &Word<'a>, state: &State<'a>) -> Parsed<Value> {
        if let [Piece::Number { names, may_fail }] = &*word.pieces {
            self.output.may_fail |= may_fail;
            numbers(names, state)?;
            return Ok(Value::Number);
        }
        if let [Piece::Substitution { list, .. }] = &*word.pieces {
            return Ok(match self.output(list, state)? {
                Source::Listed | Source::Named => Value::Listed,
                Source::Number => Value::Number,
                _ => Value::Unknown,
            });
        }
        if let [
            Piece::Variable {
                name,
                is_changed: false,
                ..
            },
        ] = &*word.pieces
            && let Some(value) = state.get(name)
        {
            return Ok(value.clone());
        }
        // The folder may have blanks in its name, and be left later.
        let names_folder = word
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Variable { name: "PWD", .. }));
        let word = self.single(word, state)?;
        Ok(if names_folder {
            Value::Unknown
        } else {
            word_value(&word)
        })
    }

    fn piece(
        &mut self,
        piece: &Piece<'a>,
        state: &State<'a>,
        manner: Manner,
        builder: &mut Builder,
    ) -> Parsed<()> {
        match piece {
            Piece::Quoted(text) => {
                builder.is_there = true;
                builder.push(text);
            }
            Piece::Glob(text) if manner == Manner::Argument => builder.push_glob(text),
            Piece::Plain(text) | Piece::Glob(text) => builder.push(text),
            Piece::Brace(byte) => builder.push(char::from(*byte).encode_utf8(&mut [0; 4])),
            Piece::Tilde => {
                builder.word.is_tilde = true;
                builder.push("~");
            }
            Piece::Number { names, may_fail } => {
                self.output.may_fail |= may_fail;
                numbers(names, state)?;
                builder.open();
            }
            Piece::Substitution { list, is_quoted } => {
                let output = self.output(list, state)?;
                unknown(output, *is_quoted || manner == Manner::Value, builder);
            }
            Piece::Process(_) => return refuse("a process substitution is a part of a word"),
            Piece::Variable {
                name,
                is_changed,
                is_quoted,
            } => {
                // A folder of plain characters is one word.
                let is_home =
                    *name == "HOME" && self.output.home.as_deref().is_some_and(is_plain_path);
                let is_one =
                    *is_quoted || manner == Manner::Value || is_home && state.get(name).is_none();
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

/// Every name has to hold a number.
pub(super) fn numbers(names: &[&str], state: &State<'_>) -> Parsed<()> {
    if names
        .iter()
        .all(|name| state.get(name).is_some_and(Value::is_number))
    {
        Ok(())
    } else {
        refuse("an expression reads a variable that need not be a number")
    }
}

fn unknown(source: Source, is_one: bool, builder: &mut Builder) {
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
    state: &State<'_>,
    builder: &mut Builder,
) -> Parsed<()> {
    let value = state.get(name);
    if value.is_none() && environment::is_secret(name) {
        return refuse("it shows a secret of the environment");
    }
    let is_first = builder.is_empty();
    if is_changed {
        unknown(Source::Unknown, is_one, builder);
        return Ok(());
    }
    match (value, name) {
        (Some(Value::Text(text)), _) => known(text, is_one, builder),
        (Some(Value::Home(text)), _)
            if is_first && (is_one || !text.contains([' ', '\t', '\n', '*', '?', '[', '\\'])) =>
        {
            builder.word.is_tilde = true;
            builder.push(text);
        }
        (Some(Value::Pattern(pattern)), _) if is_one => {
            builder.push(pattern.split(['*', '?', '[']).next().unwrap_or_default());
            let begun = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
            builder.is_open = true;
            builder.is_there = true;
            builder.pattern.push_str(&pattern[begun..]);
        }
        (Some(Value::Number), _) | (None, "?" | "#" | "$") => builder.open(),
        (Some(Value::Listed), _) => unknown(Source::Listed, is_one, builder),
        (None, "HOME") if is_first && is_one => {
            builder.word.is_tilde = true;
            builder.push("~");
        }
        (None, "PWD") if is_first && is_one => builder.push("."),
        // Even between quotes it becomes several words.
        (None, "@") => builder.split(),
        _ => unknown(Source::Unknown, is_one, builder),
    }
    Ok(())
}

/// A variable whose text is known.
fn known(text: &str, is_one: bool, builder: &mut Builder) {
    if is_one {
        builder.is_there = true;
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

/// Says what a variable holds that is set to a word.
pub(super) fn word_value(word: &specs::Word) -> Value {
    match (&word.pattern, word.is_exact) {
        (_, true) if word.is_tilde => Value::Home(word.text.clone()),
        (_, true) => Value::Text(word.text.clone()),
        (Some(pattern), _) if !word.is_tilde => Value::Pattern(pattern.clone()),
        _ if word.is_listed => Value::Listed,
        _ => Value::Unknown,
    }
}

/// A piece of a word, or what braces put in its place.
#[derive(Clone)]
enum BracePiece<'w, 'a> {
    Written(&'w Piece<'a>),
    Choice(String),
}

/// Expands braces: `{a,b}` and `{1..3}`, each of plain characters; others are refused.
fn braces<'w, 'a>(pieces: &'w [Piece<'a>]) -> Parsed<Vec<Vec<BracePiece<'w, 'a>>>> {
    let mut words: Vec<Vec<BracePiece<'w, 'a>>> = vec![Vec::new()];
    let mut rest = pieces;
    let mut before = None;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if !matches!(first, Piece::Brace(_)) {
            before = Some(first);
            words
                .iter_mut()
                .for_each(|word| word.push(BracePiece::Written(first)));
            continue;
        }
        let is_close = |piece: &Piece<'_>| matches!(piece, Piece::Brace(b'}'));
        let close = after.iter().position(is_close);
        let Some(close) = close.filter(|_| matches!(first, Piece::Brace(b'{'))) else {
            return refuse("its braces cannot be read");
        };
        let choices = choices(&after[..close])?;
        rest = &after[close + 1..];
        // Bash chooses first: `$x{a,b}` reads `$xa` and `$xb`.
        let is_behind_name = matches!(before, Some(Piece::Variable { .. }));
        if is_behind_name && choices.len() > 1 {
            return refuse("braces stand behind a variable");
        }
        before = None;
        if words.len() * choices.len() > MOST_WORDS {
            return refuse("its braces stand for too many words");
        }
        let chosen = |word: &Vec<BracePiece<'w, 'a>>, choice: &String| {
            let mut word = word.clone();
            word.push(BracePiece::Choice(choice.clone()));
            word
        };
        words = words
            .iter()
            .flat_map(|word| choices.iter().map(move |choice| chosen(word, choice)))
            .collect();
    }
    Ok(words)
}

/// What the text between braces stands for; the braces themselves where they stand for nothing.
fn choices(inner: &[Piece<'_>]) -> Parsed<Vec<String>> {
    let mut choices = vec![String::new()];
    for piece in inner {
        match piece {
            Piece::Plain(text) => {
                if let Some(last) = choices.last_mut() {
                    last.push_str(text);
                }
            }
            Piece::Brace(b',') => choices.push(String::new()),
            _ => return refuse("its braces cannot be read"),
        }
    }
    if choices.iter().any(|choice| choice.starts_with('~')) {
        return refuse("a `~` stands where bash may replace it");
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
        return refuse("its braces cannot be read");
    };
    if from.abs_diff(to) >= MOST_WORDS as u64 {
        return refuse("its braces stand for too many words");
    }
    let mut numbers: Vec<String> = (from.min(to)..=from.max(to))
        .map(|number| number.to_string())
        .collect();
    if from > to {
        numbers.reverse();
    }
    Ok(numbers)
}
