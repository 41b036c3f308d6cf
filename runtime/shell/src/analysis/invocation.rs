//! A program with its arguments, behind all its wrappers.

use super::Layer;
use super::program::{Program, acted_on, below, edits, joined};
use super::{Analysis, MOST_FOLDERS, MOST_WRAPPERS, Place};
use crate::dangerous;
use crate::environment;
use crate::leaf::{Effect, Leaf, looks_like_a_place};
use crate::readers;
use crate::script::Word;
use crate::sources;
use crate::wrappers::{self, Inner, Manner, Wrapper};

impl Analysis {
    /// Judges a program with its arguments, through all wrappers.
    pub(super) fn invocation(
        &mut self,
        part: usize,
        words: &[Word<'_>],
        place: Place<'_>,
        leaf: &mut Leaf,
    ) {
        let Some(first) = words.first() else { return };
        if first.is_dynamic
            || first.is_glob
            || first.text.is_empty()
            || place.gets_arguments && first.text.contains("{}")
        {
            self.spelling(part, words);
            self.parts[part].effect = Effect::Acts;
            return self.unclear(part, "the program is not known before it runs");
        }
        if place.wrapped > MOST_WRAPPERS {
            self.spelling(part, words);
            self.parts[part].effect = Effect::Acts;
            return self.unclear(part, "its commands are nested too deeply");
        }
        let program = Program::of(&first.text);
        let mut place = place;
        place.is_other |= !program.is_trusted;
        if let Some(found) = dangerous::find(
            program.name,
            words,
            place.is_other && program.is_trusted,
            place.home,
        ) {
            self.danger(part, found);
        }
        self.whole_of_home(part, program.name, words);
        match wrappers::unwrap(program.name, words) {
            Some(wrapper) => self.wrapper(part, words, &program, wrapper, place, leaf),
            None => self.leaf(part, words, &program, place, leaf),
        }
    }

    /// Adds a way to write a command, which a rule to deny is held against.
    pub(super) fn spelling(&mut self, part: usize, words: &[Word<'_>]) {
        let text = joined(words);
        let spellings = &mut self.parts[part].spellings;
        if !spellings.contains(&text) {
            spellings.push(text);
        }
    }

    pub(super) fn wrapper(
        &mut self,
        part: usize,
        words: &[Word<'_>],
        program: &Program<'_>,
        wrapper: Wrapper,
        place: Place<'_>,
        leaf: &mut Leaf,
    ) {
        let mut inside = place;
        inside.wrapped += 1;
        inside.is_other |= wrapper.manner == Manner::Other;
        inside.gets_arguments |= wrapper.manner == Manner::Arguments;
        if wrapper.manner != Manner::Plain && wrapper.inner == Inner::Nothing {
            self.parts[part].effect = Effect::Acts;
        }
        for word in words {
            if looks_like_a_place(&word.text, word)
                && !matches!(wrapper.inner, Inner::Command(_) | Inner::Script(_))
            {
                leaf.read_text(&word.text, word);
            }
        }
        match wrapper.inner {
            Inner::Command(at) => {
                self.invocation(part, &words[at..], inside, leaf);
                self.spelling(part, words);
                if wrapper.manner == Manner::Other {
                    self.parts[part].effect = Effect::Acts;
                }
                if wrapper.manner == Manner::Arguments && self.parts[part].effect == Effect::Edits {
                    self.parts[part].effect = Effect::Acts;
                }
            }
            Inner::Script(text) => {
                self.spelling(part, words);
                if wrapper.manner != Manner::Plain || place.gets_arguments {
                    self.parts[part].effect = Effect::Acts;
                }
                self.script(&text, place.home, place.depth + 1, inside.is_other);
            }
            Inner::Unknown(why) => {
                self.spelling(part, words);
                self.parts[part].effect = Effect::Acts;
                self.unclear(part, why);
            }
            Inner::Input => self.input(part, words, program, inside),
            Inner::Nothing => self.spelling(part, words),
        }
    }

    /// A shell that runs what it reads.
    pub(super) fn input(
        &mut self,
        part: usize,
        words: &[Word<'_>],
        program: &Program<'_>,
        place: Place<'_>,
    ) {
        self.spelling(part, words);
        self.parts[part].effect = Effect::Acts;
        let text = sources::text_of(place.script, place.index);
        let names = sources::programs_before(place.script, place.index);
        if let Some(danger) = dangerous::runs_output_of(names) {
            self.danger(part, danger);
        }
        match text {
            Some(text) => self.script(&text, place.home, place.depth + 1, place.is_other),
            None => {
                let why = format!(
                    "`{}` runs what it reads, which is not known before it runs",
                    program.name
                );
                self.find(part, Layer::Unclear, why, true);
            }
        }
    }

    /// A command that runs nothing else, as far as its name says.
    pub(super) fn leaf(
        &mut self,
        part: usize,
        words: &[Word<'_>],
        program: &Program<'_>,
        place: Place<'_>,
        leaf: &mut Leaf,
    ) {
        if !program.is_trusted {
            self.spelling(part, words);
        }
        self.named_spelling(part, words, program);
        let before = self.parts[part].effect;
        let effect = if program.is_trusted {
            self.judged(part, words, program.name, place, leaf)
        } else {
            Effect::Acts
        };
        self.parts[part].effect = before.max(effect);
        self.run_by_find(part, words, program, place);
        if effect == Effect::Acts {
            if let Some(danger) = dangerous::changes_rules(words, place.gets_arguments) {
                self.danger(part, danger);
            }
            for word in &words[1..] {
                acted_on(word, leaf);
            }
            let names = sources::programs_before(place.script, place.index);
            if dangerous::interprets(program.name)
                && let Some(danger) = dangerous::runs_output_of(names)
            {
                self.danger(part, danger);
            }
        }
        if place.is_other && effect != Effect::Edits {
            self.parts[part].effect = self.parts[part].effect.max(before);
        }
    }

    /// The command under the bare name of its program.
    pub(super) fn named_spelling(
        &mut self,
        part: usize,
        words: &[Word<'_>],
        program: &Program<'_>,
    ) {
        let mut text = String::with_capacity(64);
        text.push_str(program.name);
        let mut rest = &words[1..];
        if program.name == "git"
            && let Some(at) = readers::git_subcommand(words)
        {
            if at > 1 {
                // `git -C folder push` is a push: it is named by what it does.
                self.spelling(part, words);
            }
            rest = &words[at..];
        }
        for word in rest {
            text.push(' ');
            text.push_str(&word.text);
        }
        self.parts[part].spellings.push(text);
    }

    pub(super) fn judged(
        &mut self,
        part: usize,
        words: &[Word<'_>],
        program: &str,
        place: Place<'_>,
        leaf: &mut Leaf,
    ) -> Effect {
        if let Some(effect) = edits(program, words, leaf, place.gets_arguments) {
            return effect;
        }
        let Some(effect) = readers::judge(program, words, leaf) else {
            return Effect::Acts;
        };
        if let Some((reason, safety)) = leaf.refused.take() {
            let layer = match program {
                "sed" => Layer::Sed,
                "printenv" => Layer::Secret,
                _ => Layer::Unclear,
            };
            self.find(part, layer, reason, safety);
        }
        if effect == Effect::Reads && place.gets_arguments && !readers::takes_text(program) {
            let known = sources::names_of(place.script, place.index);
            match known {
                sources::Names::Listed => {}
                sources::Names::Given(names) => names.iter().for_each(|name| leaf.read(name)),
                sources::Names::Unknown => {
                    self.find(
                        part,
                        Layer::Unclear,
                        "an argument is not known before it runs",
                        false,
                    );
                    return Effect::Acts;
                }
            }
        }
        if readers::takes_text(program)
            && words
                .iter()
                .flat_map(|word| &word.variables)
                .any(|name| environment::is_secret(name))
        {
            self.find(
                part,
                Layer::Secret,
                "it shows a secret of the environment",
                true,
            );
        }
        if matches!(program, "cd" | "chdir") && effect == Effect::Reads {
            self.change_folder(part, words);
        }
        effect
    }

    pub(super) fn change_folder(&mut self, part: usize, words: &[Word<'_>]) {
        let target = words[1..]
            .iter()
            .find(|word| !word.text.starts_with('-') || &*word.text == "-");
        let folder = match target {
            None => "~".to_owned(),
            Some(word) if word.text == "-" => {
                let why = "the folder that it goes back to is not known";
                return self.find(part, Layer::Unclear, why, false);
            }
            Some(word) if word.text.starts_with('~') && !word.is_home => format!("./{}", word.text),
            Some(word) => word.text.to_string(),
        };
        let mut reached: Vec<String> = self
            .folders
            .iter()
            .filter_map(|from| below(from, &folder))
            .collect();
        reached.push(folder);
        self.folders.extend(reached);
        self.folders.dedup();
        if self.folders.len() > MOST_FOLDERS {
            self.folders.truncate(MOST_FOLDERS);
            self.unclear(part, "it changes folder too often");
        }
    }
}
