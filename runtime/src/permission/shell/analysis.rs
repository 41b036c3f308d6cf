//! One command line, judged part by part.

use std::borrow::Cow;

use super::dangerous::{self, Danger, Removal};
use super::environment;
use super::leaf::{Effect, Leaf, looks_like_a_place};
use super::parse::parse;
use super::readers;
use super::runners;
use super::script::{Command, Construct, RedirectKind, Script, Word};
use super::sources;
use super::wrappers::{self, Inner, Manner, Wrapper};
use crate::tool::Touch;

/// How deep commands may stand in the texts of others.
const MOST_DEPTH: usize = 8;
/// How many folders a command line may have changed to.
const MOST_FOLDERS: usize = 8;

/// What decided about a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layer {
    /// What runs cannot be read off the text.
    Unclear,
    /// The command is dangerous whatever it is meant for.
    Dangerous,
    /// A program of `sed` does more than replace text.
    Sed,
    /// A secret is shown.
    Secret,
    /// The command is not known to only read.
    Unlisted,
}

impl Layer {
    /// Returns its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unclear => "unclear",
            Self::Dangerous => "dangerous",
            Self::Sed => "sed",
            Self::Secret => "secret",
            Self::Unlisted => "unlisted",
        }
    }
}

/// Something about a part that a person has to see.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) part: usize,
    pub(super) layer: Layer,
    pub(super) reason: Cow<'static, str>,
    pub(super) safety: bool,
    pub(super) is_grave: bool,
}

/// One simple command, at whatever depth.
#[derive(Debug)]
pub(super) struct Part {
    /// As it is written.
    pub(super) text: String,
    pub(super) faces: Vec<Face>,
    pub(super) effect: Effect,
    /// The words that a suggested rule would begin with.
    pub(super) suggestion: Option<String>,
    /// Whether no rule but one about exactly this text lets it run: it runs a program of the caller's choosing.
    pub(super) is_opaque: bool,
}

/// One way to read a part, which a rule is held against.
#[derive(Debug)]
pub(super) struct Face {
    pub(super) text: String,
    /// How many bytes of it a rule has to name for an allow rule to mean this command: none where it is the command
    /// itself, up to the inner program behind a wrapper, all of it where it only serves to deny.
    pub(super) named: usize,
}

/// A command line, judged part by part.
#[derive(Debug, Default)]
pub(super) struct Analysis {
    pub(super) parts: Vec<Part>,
    pub(super) findings: Vec<Finding>,
    pub(super) touches: Vec<Touch>,
    pub(super) edits: Vec<String>,
    pub(super) constructs: Vec<Construct>,
    /// The folders that it changes to, as it names them.
    folders: Vec<String>,
}

/// Where a command stands: what is true of all that it runs.
#[derive(Clone, Copy)]
struct Place<'s> {
    script: &'s Script<'s>,
    index: usize,
    depth: usize,
    home: Option<&'s str>,
    /// Whether it runs with other rights, elsewhere, or with settings that change what it does.
    is_other: bool,
    /// Whether it gets further arguments.
    gets_arguments: bool,
}

/// Analyses a command line.
pub(super) fn analyse(text: &str, home: Option<&str>) -> Analysis {
    let mut analysis = Analysis::default();
    analysis.script(text, home, 0, false);
    analysis
}

impl Analysis {
    fn find(
        &mut self,
        part: usize,
        layer: Layer,
        reason: impl Into<Cow<'static, str>>,
        safety: bool,
    ) {
        let reason = reason.into();
        self.findings.push(Finding {
            part,
            layer,
            reason,
            safety,
            is_grave: false,
        });
    }

    fn danger(&mut self, part: usize, danger: Danger) {
        let Danger { reason, is_grave } = danger;
        self.findings.push(Finding {
            part,
            layer: Layer::Dangerous,
            reason: reason.into(),
            safety: true,
            is_grave,
        });
    }

    fn unclear(&mut self, part: usize, why: &'static str) {
        self.find(part, Layer::Unclear, why, true);
    }

    fn script(&mut self, text: &str, home: Option<&str>, depth: usize, is_other: bool) {
        let first = self.parts.len();
        if depth > MOST_DEPTH {
            return self.unclear(first, "its commands are nested too deeply");
        }
        let script = parse(text);
        if let Some(why) = script.unclear {
            if script.commands.is_empty() {
                self.whole(text);
            }
            self.unclear(first, why);
        }
        if dangerous::is_fork_bomb(text) {
            if script.commands.is_empty() && self.parts.len() == first {
                self.whole(text);
            }
            self.danger(
                first,
                Danger {
                    reason: "it starts itself over and over",
                    is_grave: true,
                },
            );
        }
        if let Some(construct) = script.constructs.first() {
            let reason = format!(
                "it has {}: what runs cannot be read off it",
                construct.name()
            );
            self.find(first, Layer::Unclear, reason, true);
            if script.commands.is_empty() && self.parts.len() == first {
                self.whole(text);
            }
        }
        self.constructs.extend(&script.constructs);
        for index in 0..script.commands.len() {
            let place = Place {
                script: &script,
                index,
                depth,
                home,
                is_other,
                gets_arguments: false,
            };
            self.command(&script.commands[index], place);
        }
    }

    /// Takes text that could not be taken apart as one part.
    fn whole(&mut self, text: &str) {
        let shown: String = text.trim().chars().take(4096).collect();
        let faces = vec![Face {
            text: shown.clone(),
            named: usize::MAX,
        }];
        self.parts.push(Part {
            text: shown,
            faces,
            effect: Effect::Acts,
            suggestion: None,
            is_opaque: true,
        });
    }

    fn command(&mut self, command: &Command<'_>, place: Place<'_>) {
        let part = self.parts.len();
        self.parts.push(Part {
            text: command.text.to_string(),
            faces: Vec::with_capacity(2),
            effect: Effect::Reads,
            suggestion: None,
            is_opaque: false,
        });
        let mut leaf = Leaf::default();
        let mut place = place;
        self.assignments(part, command, &mut place);
        self.redirects(part, command, &mut leaf);
        if command.words.is_empty() {
            self.parts[part].faces.push(Face {
                text: command.text.to_string(),
                named: 0,
            });
            self.take(part, leaf, Effect::Reads);
            return;
        }
        self.invocation(part, &command.words, place, &mut leaf);
        self.written_face(part, command, place);
        let effect = self.parts[part].effect;
        self.take(part, leaf, effect);
    }

    /// The command as it is written, beside what it comes to.
    fn written_face(&mut self, part: usize, command: &Command<'_>, place: Place<'_>) {
        let own = &mut self.parts[part];
        if own.faces.iter().any(|face| face.text == command.text) {
            return;
        }
        let is_plain = !place.is_other
            && command.assignments.is_empty()
            && own.faces.first().is_some_and(|face| face.named == 0);
        let named = if is_plain { 0 } else { usize::MAX };
        own.faces.push(Face {
            text: command.text.to_string(),
            named,
        });
    }

    fn assignments(&mut self, part: usize, command: &Command<'_>, place: &mut Place<'_>) {
        let stands_alone = command.words.is_empty();
        for assignment in &command.assignments {
            let is_harmless = if stands_alone {
                environment::is_local(assignment.name)
            } else {
                environment::is_harmless(assignment.name)
            };
            if assignment.name.contains('[') {
                self.unclear(
                    part,
                    "it sets an element of an array, whose subscript may run something",
                );
            }
            if !is_harmless {
                place.is_other = true;
                self.parts[part].effect = Effect::Acts;
            }
        }
    }

    fn redirects(&mut self, part: usize, command: &Command<'_>, leaf: &mut Leaf) {
        for redirect in &command.redirects {
            let target = &redirect.target;
            match redirect.kind {
                RedirectKind::HereString | RedirectKind::HereDocument | RedirectKind::Duplicate => {
                    continue;
                }
                _ if target.is_dynamic => {
                    self.find(
                        part,
                        Layer::Unclear,
                        "a redirection goes to a place that is not known before it runs",
                        true,
                    );
                    self.parts[part].effect = Effect::Acts;
                    continue;
                }
                RedirectKind::Read => leaf.read(target),
                RedirectKind::Write | RedirectKind::Both => {
                    if is_sink(&target.text) {
                        continue;
                    }
                    leaf.write(target);
                    self.parts[part].effect = Effect::Acts;
                }
            }
            let opens_network =
                target.text.starts_with("/dev/tcp/") || target.text.starts_with("/dev/udp/");
            if (redirect.kind != RedirectKind::Read || opens_network)
                && let Some(danger) = dangerous::written_place(&target.text)
            {
                self.danger(part, danger);
            }
        }
    }

    /// Judges a program with its arguments, through all wrappers.
    fn invocation(&mut self, part: usize, words: &[Word<'_>], place: Place<'_>, leaf: &mut Leaf) {
        let Some(first) = words.first() else { return };
        if first.is_dynamic
            || first.is_glob
            || first.text.is_empty()
            || place.gets_arguments && first.text.contains("{}")
        {
            self.face(part, words, usize::MAX);
            self.parts[part].effect = Effect::Acts;
            self.parts[part].is_opaque = true;
            return self.unclear(part, "the program is not known before it runs");
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

    fn face(&mut self, part: usize, words: &[Word<'_>], named: usize) {
        let text = joined(words);
        let own = &mut self.parts[part];
        if !own
            .faces
            .iter()
            .any(|face| face.text == text && face.named <= named)
        {
            own.faces.push(Face { text, named });
        }
    }

    fn wrapper(
        &mut self,
        part: usize,
        words: &[Word<'_>],
        program: &Program<'_>,
        wrapper: Wrapper,
        place: Place<'_>,
        leaf: &mut Leaf,
    ) {
        let mut inside = place;
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
                let shown = joined(words).len() - joined(&words[at..]).len() + words[at].text.len();
                self.face(part, words, if place.is_other { usize::MAX } else { shown });
                if wrapper.manner == Manner::Other {
                    self.parts[part].effect = Effect::Acts;
                }
                if wrapper.manner == Manner::Arguments && self.parts[part].effect == Effect::Edits {
                    self.parts[part].effect = Effect::Acts;
                }
            }
            Inner::Script(text) => {
                self.face(part, words, usize::MAX);
                if wrapper.manner != Manner::Plain || place.gets_arguments {
                    self.parts[part].effect = Effect::Acts;
                }
                self.script(&text, place.home, place.depth + 1, inside.is_other);
            }
            Inner::Unknown(why) => {
                self.face(part, words, usize::MAX);
                self.parts[part].effect = Effect::Acts;
                self.parts[part].is_opaque = true;
                self.unclear(part, why);
            }
            Inner::Input => self.input(part, words, program, inside),
            Inner::Nothing => {
                let named = if place.is_other { usize::MAX } else { 0 };
                self.face(part, words, named);
            }
        }
    }

    /// A shell that runs what it reads.
    fn input(&mut self, part: usize, words: &[Word<'_>], program: &Program<'_>, place: Place<'_>) {
        self.face(part, words, usize::MAX);
        self.parts[part].effect = Effect::Acts;
        self.parts[part].is_opaque = true;
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
    fn leaf(
        &mut self,
        part: usize,
        words: &[Word<'_>],
        program: &Program<'_>,
        place: Place<'_>,
        leaf: &mut Leaf,
    ) {
        let named = if place.is_other && program.is_trusted {
            usize::MAX
        } else {
            0
        };
        if !program.is_trusted {
            self.face(part, words, named);
        }
        self.named_face(part, words, program, named);
        let before = self.parts[part].effect;
        let effect = if program.is_trusted {
            self.judged(part, words, program.name, place, leaf)
        } else {
            Effect::Acts
        };
        self.parts[part].effect = before.max(effect);
        self.run_by_find(part, words, program, place);
        if effect == Effect::Acts {
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
        if effect != Effect::Reads && runners::is_runner(program.name, words)
            || runners::always_runs(program.name)
        {
            self.parts[part].is_opaque = true;
        }
        let suggests = place.depth == 0
            && !place.is_other
            && !place.gets_arguments
            && !self.parts[part].is_opaque;
        if suggests || !program.is_trusted && place.depth == 0 {
            self.parts[part].suggestion = super::suggest::prefix(program.name, words);
        }
        if place.is_other && effect != Effect::Edits {
            self.parts[part].effect = self.parts[part].effect.max(before);
        }
    }

    /// The command under the bare name of its program.
    fn named_face(&mut self, part: usize, words: &[Word<'_>], program: &Program<'_>, named: usize) {
        let mut text = String::with_capacity(64);
        text.push_str(program.name);
        let mut rest = &words[1..];
        if program.name == "git"
            && let Some(at) = readers::git_subcommand(words)
        {
            if at > 1 {
                // `git -C folder push` is a push: it is named by what it does.
                self.face(part, words, named);
            }
            rest = &words[at..];
        }
        for word in rest {
            text.push(' ');
            text.push_str(&word.text);
        }
        let named = if program.is_trusted {
            named
        } else {
            usize::MAX
        };
        self.parts[part].faces.push(Face { text, named });
    }

    fn judged(
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

    fn change_folder(&mut self, part: usize, words: &[Word<'_>]) {
        let target = words[1..]
            .iter()
            .find(|word| !word.text.starts_with('-') || &*word.text == "-");
        let folder = match target {
            None => "~".to_owned(),
            Some(word) if word.text == "-" => return,
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

    /// What `find` runs is a part of its own.
    fn run_by_find(
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
                faces: Vec::new(),
                effect: Effect::Reads,
                suggestion: None,
                is_opaque: false,
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
            let effect = self.parts[inner].effect;
            self.take(inner, leaf, effect);
            if end == 0 {
                self.unclear(part, "the program is not known before it runs");
            }
            at += 1 + end;
        }
    }

    /// What `find` looks for is opened by what it runs.
    fn found_names(&mut self, words: &[Word<'_>], program: Option<&Word<'_>>) {
        let only_names =
            program.is_some_and(|word| readers::takes_text(&word.text) || word.text == "ls");
        for name in sources::searched_names(words).filter(|_| !only_names) {
            self.touches.push(Touch::read(name.clone()).pattern());
            if !name.starts_with('.') {
                self.touches.push(Touch::read(format!(".{name}")).pattern());
            }
        }
    }

    /// Everything below the user's folder, or the root, is more than anybody wants to show.
    fn whole_of_home(&mut self, part: usize, program: &str, words: &[Word<'_>]) {
        let is_deep = match program {
            "grep" | "egrep" | "fgrep" => words.iter().any(|word| {
                matches!(&*word.text, "--recursive" | "--dereference-recursive")
                    || word.text.starts_with('-')
                        && !word.text.starts_with("--")
                        && word.text[1..].contains(['r', 'R'])
            }),
            "rg" | "ag" | "ack" => words.len() > 2,
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

    /// Takes over what was found out about a command, seen from every folder that it may run in.
    fn take(&mut self, part: usize, leaf: Leaf, effect: Effect) {
        if let Some((reason, safety)) = leaf.refused {
            self.find(part, Layer::Unclear, reason, safety);
        }
        let text = self.parts[part].text.clone();
        let is_edit = effect == Effect::Edits;
        for touch in leaf.touches {
            for folder in &self.folders {
                if let Some(path) = below(folder, &touch.path) {
                    self.touches.push(
                        Touch {
                            path,
                            ..touch.clone()
                        }
                        .by(text.clone()),
                    );
                }
            }
            self.touches.push(touch.by(text.clone()));
        }
        for path in leaf.edits.into_iter().filter(|_| is_edit) {
            self.edits.extend(
                self.folders
                    .iter()
                    .filter_map(|folder| below(folder, &path)),
            );
            self.edits.push(path);
        }
    }
}

/// Joins a relative path to a folder.
fn below(folder: &str, path: &str) -> Option<String> {
    let is_relative = !path.starts_with(['/', '~']);
    is_relative.then(|| format!("{}/{path}", folder.trim_end_matches('/')))
}

fn joined(words: &[Word<'_>]) -> String {
    let mut text = String::with_capacity(64);
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            text.push(' ');
        }
        text.push_str(&word.text);
    }
    text
}

/// Files that swallow what is written, or show it.
fn is_sink(path: &str) -> bool {
    matches!(
        path,
        "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/fd/1" | "/dev/fd/2"
    )
}

/// An argument of a program that nobody knows.
fn acted_on(word: &Word<'_>, leaf: &mut Leaf) {
    let text = &*word.text;
    for piece in [
        Some(text),
        text.split_once('=').map(|(_, value)| value),
        text.split_once('@').map(|(_, file)| file),
    ] {
        let Some(piece) = piece.filter(|piece| !piece.is_empty()) else {
            continue;
        };
        let piece = piece.trim_start_matches('@');
        let piece = piece.strip_prefix("file://").unwrap_or(piece);
        leaf.read_text(piece, word);
    }
    if let Some(attached) = text
        .strip_prefix('-')
        .filter(|rest| rest.len() > 1 && !rest.starts_with('-'))
    {
        leaf.read_text(
            attached[attached.chars().next().map_or(0, char::len_utf8)..].trim_start_matches('@'),
            word,
        );
    }
    if let Some((_, file)) = text.split_once(':') {
        leaf.read_text(file, word);
    }
}

/// Programs that make, change and remove files, and do nothing else.
fn edits(
    program: &str,
    words: &[Word<'_>],
    leaf: &mut Leaf,
    gets_arguments: bool,
) -> Option<Effect> {
    let edits = matches!(program, "mkdir" | "touch" | "rm" | "rmdir" | "mv" | "cp");
    let changes = matches!(program, "chmod" | "chown" | "chgrp" | "ln");
    if !edits && !changes {
        return None;
    }
    let mut is_over = false;
    let mut places = 0;
    let mut is_known = !gets_arguments;
    for word in &words[1..] {
        let text = &*word.text;
        if text == "--" && !is_over {
            is_over = true;
            continue;
        }
        is_known &= !word.is_dynamic;
        if !is_over && text.starts_with('-') && text.len() > 1 {
            if let Some((_, value)) = text.split_once('=') {
                leaf.edit(&Word {
                    text: value.into(),
                    is_home: word.is_home,
                    ..Word::default()
                });
            }
            continue;
        }
        places += 1;
        leaf.edit(word);
        if word.is_glob
            && let Some(place) = leaf.edits.last_mut()
        {
            // What matches lies in the folder before the first wildcard.
            let folder = place.split(['*', '?', '[']).next().unwrap_or_default();
            *place = folder
                .rsplit_once('/')
                .map_or_else(|| ".".to_owned(), |(folder, _)| format!("{folder}/"));
        }
    }
    let only_edits = edits && is_known && places > 0;
    Some(if only_edits {
        Effect::Edits
    } else {
        Effect::Acts
    })
}

/// The program of a command.
struct Program<'w> {
    /// Its last name.
    name: &'w str,
    /// Whether it is found where programs are: by its bare name, or in a folder of the system.
    is_trusted: bool,
}

impl<'w> Program<'w> {
    fn of(text: &'w str) -> Self {
        const FOLDERS: [&str; 6] = [
            "/bin",
            "/usr/bin",
            "/sbin",
            "/usr/sbin",
            "/usr/local/bin",
            "/opt/homebrew/bin",
        ];
        match text.rsplit_once('/') {
            None => Self {
                name: text,
                is_trusted: true,
            },
            Some((folder, name)) => Self {
                name,
                is_trusted: FOLDERS.contains(&folder),
            },
        }
    }
}
