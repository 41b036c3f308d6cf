//! What `find` runs, and what reads whole trees.

use super::program::{Program, joined};
use super::{Analysis, Layer, Part, Place};
use crate::Touch;
use crate::dangerous::Removal;
use crate::leaf::{Effect, Leaf};
use crate::readers;
use crate::script::Word;
use crate::sources;

impl Analysis {
    /// What `find` runs is a part of its own.
    pub(super) fn run_by_find(
        &mut self,
        part: usize,
        words: &[Word<'_>],
        program: &Program<'_>,
        place: Place<'_>,
    ) {
        if program.name != "find" && !matches!(program.name, "fd" | "fdfind") {
            return;
        }
        let is_start = |text: &str| {
            matches!(
                text,
                "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch"
            )
        };
        let mut at = 1;
        while at < words.len() {
            if !is_start(&words[at].text) {
                at += 1;
                continue;
            }
            let rest = &words[at + 1..];
            let end = rest
                .iter()
                .position(|word| matches!(&*word.text, ";" | "+"))
                .unwrap_or(rest.len());
            self.found_names(words, rest.first());
            let inner = self.parts.len();
            self.parts.push(Part {
                text: joined(&rest[..end]),
                spellings: Vec::new(),
                effect: Effect::Reads,
            });
            let inside = Place {
                gets_arguments: true,
                depth: place.depth + 1,
                ..place
            };
            let mut leaf = Leaf::default();
            self.invocation(inner, &rest[..end], inside, &mut leaf);
            if self.parts[inner].effect == Effect::Edits {
                self.parts[inner].effect = Effect::Acts;
            }
            self.take(inner, leaf);
            if end == 0 {
                self.unclear(part, "the program is not known before it runs");
            }
            at += 1 + end;
        }
    }

    /// What `find` looks for is opened by what it runs.
    pub(super) fn found_names(&mut self, words: &[Word<'_>], program: Option<&Word<'_>>) {
        let only_names =
            program.is_some_and(|word| readers::takes_text(&word.text) || word.text == "ls");
        for name in sources::searched_names(words).filter(|_| !only_names) {
            self.touches.push(Touch::read(name.clone()).pattern());
            // `*` of `find` stands for a leading dot too.
            if !name.contains('.') {
                self.touches.push(Touch::read(format!(".{name}")).pattern());
            }
        }
    }

    /// Everything below the user's folder, or the root, is more than anybody wants to show.
    pub(super) fn whole_of_home(&mut self, part: usize, program: &str, words: &[Word<'_>]) {
        let is_deep = match program {
            "grep" | "egrep" | "fgrep" => words.iter().any(|word| {
                matches!(&*word.text, "--recursive" | "--dereference-recursive")
                    || word.text.starts_with('-')
                        && !word.text.starts_with("--")
                        && word.text[1..].contains(['r', 'R'])
            }),
            "rg" | "ag" | "ack" => words.len() > 2,
            "find" => {
                let runs = words.iter().any(|word| word.text.starts_with("-exec"));
                runs && sources::searches_everything(words)
            }
            "tar" | "zip" | "rsync" | "scp" | "cp" => true,
            _ => false,
        };
        let is_everything = |word: &Word<'_>| match Removal::of(&word.text, None) {
            Some(Removal::Everything) => !word.text.starts_with('~') || word.is_home,
            _ => matches!(&*word.text, "/etc" | "/proc" | "/etc/" | "/proc/"),
        };
        if is_deep && words[1..].iter().any(is_everything) {
            self.find(
                part,
                Layer::Secret,
                "it reads everything there, and some of that is secret",
                true,
            );
        }
    }
}
