//! The proof that a command line does what it seems to do.
//!
//! A proof exists where a strict grammar reads the whole text, and a specification is there for each program with each of
//! its options. Nothing else constructs a verdict that lets a command line run: what cannot be proven asks.
//!
//! What bash does is the truth here. Where bash reads a text in more ways than one, where versions of bash differ, and
//! where the meaning of a word depends on what is not in the text, there is no proof.

mod arithmetic;
mod ast;
mod builtins;
mod call;
mod evaluate;
mod evaluated;
mod expand;
mod grammar;
mod heredoc;
mod listing;
mod parser;
mod redirects;
mod state;
mod words;

use crate::specs::{self, Effect, Unproven};
use crate::{Check, Touch};

use self::evaluate::Evaluator;
use self::evaluated::Commands;
pub(crate) use self::evaluated::Evaluated;

/// What a command line does, for certain.
#[derive(Debug)]
pub(crate) struct Proof {
    commands: Vec<Proven>,
    touches: Vec<Touch>,
    evaluated: Vec<Evaluated>,
}

/// One command of a command line, at whatever depth.
#[derive(Debug)]
pub(crate) struct Proven {
    /// As it is written.
    text: String,
    spellings: Vec<Spelling>,
    effect: Effect,
    /// Whether only a rule with exactly this text covers it.
    is_opaque: bool,
    touches: Vec<Touch>,
    suggestion: Option<String>,
}

/// One way to write a command, which a rule is held against.
#[derive(Debug, Clone)]
pub(crate) struct Spelling {
    pub(crate) text: String,
    /// How many bytes of it are words that are known, each without blanks.
    pub(crate) known: usize,
    /// Whether all of it is known.
    pub(crate) is_exact: bool,
    /// How many bytes of it a rule has to name: up to the program behind a wrapper.
    pub(crate) named: usize,
}

impl Spelling {
    fn from_words(words: &[specs::Word]) -> Self {
        let mut text = String::with_capacity(64);
        let mut known = None;
        for (at, word) in words.iter().enumerate() {
            let before = text.len();
            if at > 0 {
                text.push(' ');
            }
            // A `~` that the shell does not replace is a name like any other.
            if word.text.starts_with('~') && !word.is_tilde {
                text.push_str("./");
            }
            text.push_str(&word.text);
            if !word.is_exact || word.text.contains([' ', '\t', '\n']) {
                known.get_or_insert(before);
            }
        }
        Self {
            known: known.unwrap_or(text.len()),
            is_exact: words.iter().all(|word| word.is_exact),
            text,
            named: 0,
        }
    }

    fn from_text(text: String, named: usize) -> Self {
        Self {
            known: text.len(),
            is_exact: true,
            text,
            named,
        }
    }
}

/// What was found so far.
#[derive(Default)]
struct Output {
    commands: Vec<Proven>,
    /// What redirections read.
    touches: Vec<Touch>,
    evaluated: Commands,
    steps: usize,
    depth: usize,
    /// How many substitutions are around what is looked at.
    inside: usize,
    home: Option<String>,
    /// Whether a descriptor other than the input may be open on what is read: to write to it as to a file
    /// (`2<f >/dev/stderr`) would write to what is read.
    has_open_input: bool,
    /// Whether an expansion of the line may be refused by bash, which ends the line.
    may_fail: bool,
}

impl Output {
    /// Adds a command; of the rounds of a loop that do the same one is enough.
    fn push(&mut self, mut proven: Proven) {
        if self.inside > 0 {
            proven.suggestion = None;
        }
        let is_known = self
            .commands
            .iter()
            .rev()
            .take(64)
            .any(|known| known.is_same(&proven));
        if !is_known {
            self.commands.push(proven);
        }
    }
}

impl Proven {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn spellings(&self) -> &[Spelling] {
        &self.spellings
    }

    pub(crate) fn effect(&self) -> Effect {
        self.effect
    }

    pub(crate) fn only_reads(&self) -> bool {
        self.effect == Effect::Reads
    }

    pub(crate) fn is_opaque(&self) -> bool {
        self.is_opaque
    }

    pub(crate) fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }

    fn is_same(&self, other: &Self) -> bool {
        self.text == other.text
            && self.effect == other.effect
            && self.is_opaque == other.is_opaque
            && self.touches == other.touches
            && self.spellings.len() == other.spellings.len()
            && self
                .spellings
                .iter()
                .zip(&other.spellings)
                .all(|(one, another)| one.text == another.text && one.named == another.named)
    }
}

impl Proof {
    pub(crate) fn commands(&self) -> &[Proven] {
        &self.commands
    }

    /// Returns the simple commands with the words that they get, behind all quotes, variables and braces.
    pub(crate) fn evaluated(&self) -> &[Evaluated] {
        &self.evaluated
    }

    /// Reports whether one of the commands does what only its whole text says.
    pub(crate) fn is_opaque(&self) -> bool {
        self.commands.iter().any(Proven::is_opaque)
    }

    /// Goes through the places that are read and written.
    pub(crate) fn touches(&self) -> impl Iterator<Item = &Touch> {
        let of_commands = self.commands.iter().flat_map(|command| &command.touches);
        of_commands.chain(&self.touches)
    }

    /// Returns the verdict that the proof is about.
    pub(crate) fn check(&self) -> Check {
        let effect = self.commands.iter().map(|command| command.effect).max();
        match effect {
            None | Some(Effect::Reads) => Check::ReadOnly,
            Some(Effect::Acts) => Check::Pass,
            Some(Effect::Edits) => {
                let written = self
                    .touches()
                    .filter(|touch| touch.access == crate::Access::Write);
                Check::Edit {
                    paths: written.map(edited).collect(),
                }
            }
        }
    }
}

/// Proves what a command line does.
pub(crate) fn prove(text: &str, home: Option<&str>) -> Result<Proof, Unproven> {
    let mut output = Output {
        home: home.map(str::to_owned),
        ..Output::default()
    };
    Evaluator::script(&mut output, text, &[])?;
    if output.commands.is_empty() {
        if text.trim().is_empty() {
            return Err(Unproven("there is no command"));
        }
        output.commands.push(Proven {
            text: text.trim().to_owned(),
            spellings: vec![Spelling::from_text(text.trim().to_owned(), 0)],
            effect: Effect::Reads,
            is_opaque: false,
            touches: Vec::new(),
            suggestion: None,
        });
    }
    let proof = Proof {
        commands: output.commands,
        touches: output.touches,
        evaluated: output.evaluated.list,
    };
    if proof.touches().any(writes_device) {
        return Err(Unproven("it writes to a device"));
    }
    Ok(proof)
}

/// Reports whether a place is a device, or what a process has open: to write there is to write to something else, of
/// which the path says nothing.
fn writes_device(touch: &Touch) -> bool {
    if touch.access != crate::Access::Write || !touch.path.starts_with('/') {
        return false;
    }
    let path = crate::paths::tidy(&touch.path);
    let is_below = |folder: &str| {
        path.strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    is_below("/proc")
        || is_below("/dev")
            && !matches!(&*path, "/dev/null" | "/dev/zero" | "/dev/full" | "/dev/tty")
            && !path.starts_with("/dev/shm/")
}

/// The place that is edited: what a pattern matches lies in the folder before its first wildcard.
fn edited(touch: &Touch) -> String {
    if !touch.is_pattern {
        return touch.path.clone();
    }
    let known = touch.path.split(['*', '?', '[']).next().unwrap_or_default();
    match known.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/"),
        None => ".".to_owned(),
    }
}

/// Joins a relative path to a folder.
fn below(folder: &str, path: &str) -> Option<String> {
    let is_relative = !path.starts_with(['/', '~']);
    is_relative.then(|| format!("{}/{path}", folder.trim_end_matches('/')))
}

/// Adds a place, seen from each folder that the command may run in.
fn touch_from(folders: &[String], touch: Touch, part: &str, into: &mut Vec<Touch>) {
    for folder in folders {
        if let Some(path) = below(folder, &touch.path) {
            let is_pattern = touch.is_pattern || folder.contains(['*', '?', '[']);
            into.push(Touch {
                path,
                is_pattern,
                ..touch.clone().by(part.to_owned())
            });
        }
    }
    into.push(touch.by(part.to_owned()));
}
