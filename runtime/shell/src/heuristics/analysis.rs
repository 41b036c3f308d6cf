//! The heuristic analysis of a command line, part by part.

mod candidates;
mod invocation;
mod program;
mod traversal;

use std::borrow::Cow;

pub(crate) use self::program::{Program, acted_on};
use self::program::{below, is_sink};

use super::command_facts::{CommandEffect, CommandFacts};
use super::parse::parse;
use crate::FileAccess;
use crate::dangerous::{self, Danger, DangerLevel};
use crate::environment;
use crate::script::{Command, Construct, RedirectKind, Script};

/// The maximum nesting depth of commands in the texts of other commands.
const MAX_DEPTH: usize = 8;
/// The maximum number of wrappers before a program.
const MAX_WRAPPERS: usize = 16;
/// The maximum number of folders that a command line may have changed to.
const MAX_FOLDERS: usize = 8;

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FindingKind {
    /// The commands that run cannot be determined from the text.
    Unclear,
    /// The command is dangerous, independent of its purpose.
    Dangerous,
    /// A `sed` script does more than replace text.
    Sed,
    /// The command displays a secret.
    Secret,
}

/// A finding about a part, which a user has to review.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) part: usize,
    pub(crate) kind: FindingKind,
    pub(crate) reason: Cow<'static, str>,
    pub(crate) is_safety_question: bool,
    pub(crate) is_grave: bool,
    severity: DangerLevel,
}

impl Finding {
    /// Returns the severity of the finding.
    pub(crate) fn severity(&self) -> DangerLevel {
        match self.kind {
            FindingKind::Secret => self.severity.max(DangerLevel::Immune),
            _ => self.severity,
        }
    }
}

/// A simple command, at any nesting depth.
#[derive(Debug)]
pub(crate) struct SimpleCommand {
    /// The text of the command.
    pub(crate) text: String,
    /// The spellings of the command, which deny rules are matched against.
    pub(crate) spellings: Vec<String>,
    pub(crate) effect: CommandEffect,
    unknown: UnknownExecution,
    /// The words of the command in a comparable form; see [`reading`].
    reading_key: String,
}

/// Whether a command runs unknown commands, so that deny rules cannot be matched against them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum UnknownExecution {
    /// All commands that it runs are known from the text.
    No,
    /// The program is unknown to this analysis, and may be known to a proof.
    Program,
    /// The command runs a script from its input or from arguments that are known only at run time.
    Input,
}

impl SimpleCommand {
    fn new(text: String, effect: CommandEffect) -> Self {
        Self {
            text,
            spellings: Vec::with_capacity(2),
            effect,
            unknown: UnknownExecution::No,
            reading_key: String::new(),
        }
    }

    fn note_unknown(&mut self, unknown: UnknownExecution) {
        self.unknown = self.unknown.max(unknown);
    }

    /// Reports whether the command runs unknown commands. In a proven line, every program is known.
    pub(crate) fn is_unknown(&self, is_proven: bool) -> bool {
        match self.unknown {
            UnknownExecution::No => false,
            UnknownExecution::Program => !is_proven,
            UnknownExecution::Input => true,
        }
    }
}

/// The heuristic analysis of a command line.
#[derive(Debug, Default)]
pub(crate) struct LineAnalysis {
    pub(crate) parts: Vec<SimpleCommand>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) touches: Vec<FileAccess>,
    pub(crate) constructs: Vec<Construct>,
    /// Whether a part of the text could not be parsed.
    pub(crate) is_incomplete: bool,
    /// The folders that the command line changes to, as written.
    folders: Vec<String>,
    /// The folders that the last change of folder may lead to.
    last_folders: Vec<String>,
}

/// The context of a command, which also applies to the commands that it runs.
#[derive(Clone, Copy)]
struct CommandContext<'s> {
    script: &'s Script<'s>,
    index: usize,
    depth: usize,
    /// The number of wrappers before the command.
    wrappers: usize,
    home: Option<&'s str>,
    /// Whether the command runs with other rights, elsewhere, or with settings that change its effect.
    runs_elsewhere: bool,
    /// Whether unknown arguments are appended.
    gets_arguments: bool,
}

impl<'s> CommandContext<'s> {
    /// Creates the context of a top-level command.
    fn new(script: &'s Script<'s>, index: usize, home: Option<&'s str>) -> Self {
        Self {
            script,
            index,
            depth: 0,
            wrappers: 0,
            home,
            runs_elsewhere: false,
            gets_arguments: false,
        }
    }
}

/// Analyses a command line.
pub(crate) fn analyse(text: &str, home: Option<&str>) -> LineAnalysis {
    tracing::trace!(target: "helve::shell", "a command line is analysed");
    let mut analysis = LineAnalysis::default();
    analysis.script(text, home, 0, false);
    analysis
}

impl LineAnalysis {
    fn find(
        &mut self,
        part: usize,
        layer: FindingKind,
        reason: impl Into<Cow<'static, str>>,
        safety: bool,
    ) {
        let reason = reason.into();
        self.findings.push(Finding {
            part,
            kind: layer,
            reason,
            is_safety_question: safety,
            is_grave: false,
            severity: DangerLevel::Risky,
        });
    }

    pub(crate) fn danger(&mut self, part: usize, danger: Danger) {
        let Danger {
            reason,
            is_grave,
            severity,
        } = danger;
        self.findings.push(Finding {
            part,
            kind: FindingKind::Dangerous,
            reason: reason.into(),
            is_safety_question: true,
            is_grave,
            severity,
        });
    }

    fn unclear(&mut self, part: usize, why: &'static str) {
        self.find(part, FindingKind::Unclear, why, true);
    }

    fn script(&mut self, text: &str, home: Option<&str>, depth: usize, is_other: bool) {
        let first = self.parts.len();
        if depth > MAX_DEPTH {
            self.add_unparsed(text);
            self.parts[first].note_unknown(UnknownExecution::Input);
            return self.unclear(first, "its commands are nested too deeply");
        }
        let script = parse(text);
        let is_fork_bomb = dangerous::is_fork_bomb(text);
        let has_finding = script.unclear.is_some() || is_fork_bomb || !script.constructs.is_empty();
        if script.commands.is_empty() && has_finding {
            self.add_unparsed(text);
        }
        if let Some(why) = script.unclear {
            self.is_incomplete = true;
            self.unclear(first, why);
        }
        if is_fork_bomb {
            self.danger(first, dangerous::fatal("it starts itself over and over"));
        }
        if let Some(construct) = script.constructs.first() {
            let reason = format!(
                "it has {}: what runs cannot be read off it",
                construct.name()
            );
            // All commands of the construct are analysed, so it is not dangerous that it is unknown which of them run.
            self.find(first, FindingKind::Unclear, reason, false);
        }
        self.constructs.extend(&script.constructs);
        for index in 0..script.commands.len() {
            let context = CommandContext {
                depth,
                runs_elsewhere: is_other,
                ..CommandContext::new(&script, index, home)
            };
            self.command(context);
        }
    }

    /// Adds commands with the words that a proof determined, if this analysis parsed them differently: a danger or a
    /// deny rule may apply to either form.
    pub(crate) fn add(&mut self, commands: Vec<Command<'_>>, home: Option<&str>) {
        let is_known = |command: &Command<'_>| {
            let reading = reading(command);
            let mut parts = self.parts.iter();
            parts.any(|part| part.text == command.text && part.reading_key == reading)
        };
        if commands.iter().all(is_known) {
            return;
        }
        self.last_folders.clear();
        let touched = self.touches.len();
        let script = Script {
            commands,
            ..Script::default()
        };
        for index in 0..script.commands.len() {
            self.command(CommandContext::new(&script, index, home));
        }
        let added = self.touches.split_off(touched);
        for touch in added {
            if !self.touches.contains(&touch) {
                self.touches.push(touch);
            }
        }
    }

    /// Adds a text that could not be parsed as one part.
    fn add_unparsed(&mut self, text: &str) {
        let shown: String = text.trim().chars().take(4096).collect();
        let mut part = SimpleCommand::new(shown.clone(), CommandEffect::Other);
        part.spellings.push(shown);
        self.parts.push(part);
    }

    fn command(&mut self, mut context: CommandContext<'_>) {
        let command = &context.script.commands[context.index];
        let part = self.parts.len();
        let text = command.text.to_string();
        self.parts
            .push(SimpleCommand::new(text, CommandEffect::Reads));
        self.parts[part].reading_key = reading(command);
        let mut facts = CommandFacts::default();
        self.assignments(part, command, &mut context);
        self.redirects(part, command, &mut facts);
        self.invocation(part, &command.words, context, &mut facts);
        self.written_spelling(part, command);
        if facts.writes_descriptor {
            write_through_descriptor(context.script, &mut facts);
        }
        self.take(part, facts);
    }

    /// Adds the spelling of the command as written, in addition to its expanded form.
    fn written_spelling(&mut self, part: usize, command: &Command<'_>) {
        let spellings = &mut self.parts[part].spellings;
        if !spellings.iter().any(|text| *text == command.text) {
            spellings.push(command.text.to_string());
        }
    }

    fn assignments(
        &mut self,
        part: usize,
        command: &Command<'_>,
        context: &mut CommandContext<'_>,
    ) {
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
                context.runs_elsewhere = true;
                self.parts[part].effect = CommandEffect::Other;
            }
        }
    }

    fn redirects(&mut self, part: usize, command: &Command<'_>, facts: &mut CommandFacts) {
        for redirect in &command.redirects {
            let target = &redirect.target;
            match redirect.kind {
                RedirectKind::HereString | RedirectKind::HereDocument | RedirectKind::Duplicate => {
                    continue;
                }
                kind if target.is_dynamic => {
                    let why = "a redirection goes to a place that is not known before it runs";
                    self.unclear(part, why);
                    // The path may be dangerous.
                    if let Some(found) = self.findings.last_mut()
                        && kind != RedirectKind::Read
                    {
                        found.severity = DangerLevel::Immune;
                    }
                    self.parts[part].effect = CommandEffect::Other;
                    continue;
                }
                RedirectKind::Read => facts.read(target),
                RedirectKind::Write | RedirectKind::Both => {
                    facts.write(target);
                    if is_sink(&target.text) {
                        continue;
                    }
                    self.parts[part].effect = CommandEffect::Other;
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

    /// Adds the facts of a command, with its paths resolved from every folder in which the command may run.
    fn take(&mut self, part: usize, facts: CommandFacts) {
        if let Some((reason, safety)) = facts.refusal {
            self.find(part, FindingKind::Unclear, reason, safety);
        }
        for touch in facts.touches {
            let touch = touch.with_part(self.parts[part].text.clone());
            for path in self
                .folders
                .iter()
                .filter_map(|folder| below(folder, &touch.path))
            {
                self.touches.push(FileAccess {
                    path,
                    ..touch.clone()
                });
            }
            self.touches.push(touch);
        }
    }
}

/// Returns the words of a command in a comparable form.
fn reading(command: &Command<'_>) -> String {
    let mut reading = String::with_capacity(64);
    let targets = command.redirects.iter().map(|redirect| &redirect.target);
    for word in command.words.iter().chain(targets) {
        reading.push_str(&word.text);
        // Neither character can occur in an analysed text.
        reading.push(if word.is_dynamic { '\u{1}' } else { '\0' });
        if word.is_glob {
            reading.push('\u{2}');
        }
        if word.is_home {
            reading.push('\u{3}');
        }
    }
    reading
}

/// Adds writes through the name of a descriptor. Such a write goes to the file that the descriptor was opened for, even
/// if it was opened for reading, and this may be any redirected file of the line.
fn write_through_descriptor(script: &Script<'_>, facts: &mut CommandFacts) {
    let redirects = script
        .commands
        .iter()
        .flat_map(|command| &command.redirects);
    for redirect in redirects {
        let is_file = matches!(
            redirect.kind,
            RedirectKind::Read | RedirectKind::Write | RedirectKind::Both
        );
        if is_file && !redirect.target.is_dynamic {
            facts.write(&redirect.target);
        }
    }
}
