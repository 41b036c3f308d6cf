//! Real lines with a few small changes.

use super::{CLASSES, Generator};

/// The lines that are changed.
#[derive(Debug, Default)]
pub(crate) struct Corpus {
    lines: Vec<String>,
    /// Those that only read.
    harmless: Vec<String>,
}

impl Corpus {
    pub(crate) fn add(&mut self, line: String, is_harmless: bool) {
        if is_harmless {
            self.harmless.push(line.clone());
        }
        self.lines.push(line);
    }
}

const PIECES: &[&str] = &[
    ";",
    "\n",
    "\\\n",
    "'",
    "\"",
    "\\",
    "#",
    "$(",
    ")",
    "`",
    "<<E",
    "\nE\n",
    "&",
    "|",
    " ",
    "\t",
    "{",
    "}",
    "$",
    "*",
    "-",
    "--",
    "=",
    ">",
    "<",
    "touch pwn",
    "; pwn",
    "\npwn\n",
    " -o pwn",
    " --output=pwn",
    " -c",
    "~",
    "$x",
    "!",
    "e",
    "w pwn",
];

impl Generator {
    /// The real lines that only read.
    pub(crate) fn everyday(&self) -> &[String] {
        &self.corpus.harmless
    }

    pub(super) fn mutated(&mut self) -> String {
        let mut text = if self.rng.once_in(3) {
            self.list()
        } else if self.rng.once_in(4) {
            let class = self.rng.below(CLASSES.len());
            self.class(&CLASSES[class])
        } else {
            let index = self.rng.below(self.corpus.lines.len());
            self.corpus.lines[index].clone()
        };
        let bodies = self.newline_with_bodies(false);
        text.push_str(&bodies);
        for _ in 0..1 + self.rng.below(3) {
            text = self.mutate(&text);
        }
        text
    }

    fn mutate(&mut self, text: &str) -> String {
        let mut characters: Vec<char> = text.chars().collect();
        if characters.is_empty() {
            return self.inert().to_owned();
        }
        let at = self.rng.below(characters.len());
        match self.rng.below(6) {
            0 => {
                characters.remove(at);
            }
            1 => {
                let piece: Vec<char> = self.rng.pick(PIECES).chars().collect();
                characters.splice(at..at, piece);
            }
            2 => {
                let piece: Vec<char> = self.inert().chars().collect();
                characters.splice(at..at, piece);
            }
            3 => {
                let other = self.rng.below(characters.len());
                characters.swap(at, other);
            }
            4 => return self.with_words(text),
            _ => {
                let length = self.rng.below(6).min(characters.len() - at);
                let copy: Vec<char> = characters[at..at + length].to_vec();
                let to = self.rng.below(characters.len());
                characters.splice(to..to, copy);
            }
        }
        characters.into_iter().collect()
    }

    /// Removes, repeats, exchanges or adds a word.
    fn with_words(&mut self, text: &str) -> String {
        let mut words: Vec<&str> = text.split(' ').collect();
        let at = self.rng.below(words.len());
        match self.rng.below(4) {
            0 => {
                words.remove(at);
            }
            1 => words.insert(at, words[at]),
            2 => {
                let other = self.rng.below(words.len());
                words.swap(at, other);
            }
            _ => {
                let index = self.rng.below(self.corpus.lines.len());
                let other: Vec<&str> = self.corpus.lines[index].split(' ').collect();
                words.insert(at, other[self.rng.below(other.len())]);
            }
        }
        words.join(" ")
    }
}
