//! Command lines, made up.

mod canaries;
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

pub(crate) use constructs::CONSTRUCTS;
pub(crate) use mutate::Corpus;
pub(crate) use specs::Specs;

/// A line, and which construct or generator it came from.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) kind: &'static str,
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

    /// Makes a line of a construct that does nothing but read.
    pub(crate) fn harmless(&mut self, construct: usize) -> Line {
        self.begin(false);
        let (name, make) = CONSTRUCTS[construct];
        let text = make(self);
        self.finish(text, name)
    }

    /// Makes a line that may do anything.
    pub(crate) fn hostile(&mut self) -> Line {
        self.begin(true);
        match self.rng.below(20) {
            0..3 => {
                let text = self.sed();
                Line { text, kind: "sed" }
            }
            3..6 => {
                let text = self.mixed();
                Line {
                    text,
                    kind: "spec mixed",
                }
            }
            6..12 => {
                let (name, make) = CONSTRUCTS[self.rng.below(CONSTRUCTS.len())];
                let mut text = make(self);
                if self.rng.once_in(3) {
                    let second = self.list();
                    text = format!("{text}{}{second}", self.separator());
                }
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

    /// Makes a line of a construct that may do anything.
    pub(crate) fn hostile_construct(&mut self, construct: usize) -> Line {
        self.begin(true);
        let (name, make) = CONSTRUCTS[construct];
        let text = make(self);
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
