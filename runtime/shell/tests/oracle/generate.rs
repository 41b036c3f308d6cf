//! Command lines, made up.

mod canaries;
mod classes;
mod compound;
mod constructs;
mod heredoc;
mod mutate;
mod process;
mod sed;
mod soup;
mod specs;
mod words;

use crate::rng::Rng;

pub(crate) use classes::CLASSES;
use constructs::CONSTRUCTS;
pub(crate) use mutate::Corpus;
pub(crate) use specs::Specs;

/// A line, and which construct or generator it came from.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) kind: &'static str,
}

/// Goes through the names of the constructs and of the classes.
pub(crate) fn kinds() -> impl Iterator<Item = &'static str> {
    let constructs = CONSTRUCTS.iter().map(|(name, _)| *name);
    constructs.chain(CLASSES.iter().map(|class| class.name))
}

/// What a line is made from.
pub(crate) struct Generator {
    pub(crate) rng: Rng,
    corpus: Corpus,
    pub(crate) specs: Specs,
    /// Whether the line may contain what must not run, and blanks, comments and quotes as nobody writes them.
    is_hostile: bool,
    depth: usize,
    /// Here-documents whose bodies begin after the next newline.
    bodies: Vec<String>,
}

impl Generator {
    pub(crate) fn new(seed: u64, corpus: Corpus) -> Self {
        Self {
            rng: Rng::new(seed),
            corpus,
            specs: Specs::new(),
            is_hostile: false,
            depth: 0,
            bodies: Vec::new(),
        }
    }

    /// Makes a line of a construct, or of a class, that does nothing but read.
    pub(crate) fn harmless(&mut self, kind: usize) -> Line {
        self.begin(false);
        let (name, text) = self.made(kind);
        self.finish(text, name)
    }

    /// Makes a line of a class that does what it does not seem to do.
    pub(crate) fn attack(&mut self, class: usize) -> Line {
        self.begin(true);
        let (name, text) = self.made(CONSTRUCTS.len() + class);
        self.finish(text, name)
    }

    /// Makes a call of `sed`.
    pub(crate) fn sed_call(&mut self) -> Line {
        self.begin(true);
        let text = self.sed();
        Line { text, kind: "sed" }
    }

    fn made(&mut self, kind: usize) -> (&'static str, String) {
        if let Some((name, make)) = CONSTRUCTS.get(kind) {
            return (name, make(self));
        }
        let class = &CLASSES[kind - CONSTRUCTS.len()];
        (class.name, self.class(class))
    }

    /// Makes a line that may do anything.
    pub(crate) fn hostile(&mut self) -> Line {
        self.begin(true);
        match self.rng.below(20) {
            0..3 => self.sed_call(),
            3..6 => {
                let text = self.mixed();
                Line {
                    text,
                    kind: "spec mixed",
                }
            }
            6..10 => {
                let kind = self.rng.below(CONSTRUCTS.len());
                let (name, mut text) = self.made(kind);
                if self.rng.once_in(3) {
                    let second = self.list();
                    text = format!("{text}{}{second}", self.separator());
                }
                self.finish(text, name)
            }
            10..12 => {
                let class = self.rng.below(CLASSES.len());
                let (name, text) = self.made(CONSTRUCTS.len() + class);
                self.finish(text, name)
            }
            12..17 => {
                let text = self.mutated();
                Line {
                    text,
                    kind: "mutated",
                }
            }
            _ => {
                let text = self.soup();
                Line { text, kind: "soup" }
            }
        }
    }

    /// Makes a line of a construct, or of a class, that may do anything.
    pub(crate) fn hostile_of(&mut self, kind: usize) -> Line {
        self.begin(true);
        let (name, text) = self.made(kind);
        self.finish(text, name)
    }

    /// Takes a command that must not run, alone.
    pub(crate) fn hostile_command(&mut self) -> Line {
        let text = self.canary();
        Line {
            text,
            kind: "canary",
        }
    }

    fn begin(&mut self, is_hostile: bool) {
        self.is_hostile = is_hostile;
        self.depth = 0;
        self.bodies.clear();
    }

    fn finish(&mut self, mut text: String, kind: &'static str) -> Line {
        text.push_str(&self.newline_with_bodies(false));
        Line { text, kind }
    }
}
