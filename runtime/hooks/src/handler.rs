//! A hook of the settings.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::condition::Condition;
use crate::event::HookEvent;
use crate::matcher::Matcher;

/// Whose settings define a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookScope {
    /// The user.
    User,
    /// The project: the hook runs only while it is what the user has accepted.
    Project,
}

/// The place in a file that defines a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookSource {
    /// Whose file it is.
    pub scope: HookScope,
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; 0 for a hook that is no longer in the file.
    pub line: usize,
}

/// The command of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookCommand {
    /// A line for `sh -c`.
    Shell(String),
    /// A program and its arguments.
    Program(Vec<String>),
}

/// What the failure of a hook does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    /// The failure blocks what the hook is about.
    Block,
    /// The failure is reported, and nothing else happens.
    Ignore,
}

/// A hook of the settings.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookHandler {
    /// The event.
    pub event: HookEvent,
    /// The names for which the hook runs.
    pub matcher: Matcher,
    pub(crate) condition: Option<Condition>,
    /// The command.
    pub command: HookCommand,
    /// The time limit of the command.
    pub timeout: Duration,
    /// What a failure does.
    pub on_failure: OnFailure,
    /// Whether nothing waits for the command, which then decides nothing.
    pub background: bool,
    /// Whether the command runs in the sandbox.
    pub sandboxed: bool,
    /// Where the hook is defined.
    pub source: HookSource,
    /// Why the hook blocks instead of running.
    pub(crate) held: Option<String>,
    /// The files of the project that the command runs, each with the digest of its accepted content.
    pub(crate) scripts: Vec<(PathBuf, String)>,
}

/// A remark on the hooks of a file: what is not supported, or does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookNote {
    /// Where it is.
    pub source: HookSource,
    /// The remark.
    pub message: String,
}

impl HookHandler {
    pub(crate) fn new(event: HookEvent, command: HookCommand, source: HookSource) -> Self {
        Self {
            event,
            matcher: Matcher::all(),
            condition: None,
            command,
            timeout: Self::default_timeout(event),
            on_failure: default_on_failure(event),
            background: false,
            sandboxed: true,
            source,
            held: None,
            scripts: Vec::new(),
        }
    }

    /// Returns the time limit of a hook that sets none: that of Claude Code.
    #[must_use]
    pub const fn default_timeout(event: HookEvent) -> Duration {
        match event {
            HookEvent::UserPromptSubmit => Duration::from_secs(30),
            HookEvent::SessionEnd => Duration::from_millis(1500),
            _ => Duration::from_secs(600),
        }
    }

    /// Reports whether the hook runs if its event occurs. A hook of a project that has changed since it was accepted
    /// does not run, and blocks where it would decide.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.held.is_none()
    }

    /// Returns the field `if`: which calls of the tool the hook is for.
    #[must_use]
    pub fn condition(&self) -> Option<&str> {
        self.condition.as_ref().map(Condition::text)
    }

    /// Reports whether two hooks do the same in the same way. Such hooks of several files run once: of two that differ in what a
    /// failure does, say, each runs.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.event == other.event
            && self.command == other.command
            && self.matcher.text() == other.matcher.text()
            && self.condition() == other.condition()
            && self.is_active() == other.is_active()
            && (self.timeout, self.on_failure) == (other.timeout, other.on_failure)
            && (self.background, self.sandboxed) == (other.background, other.sandboxed)
            && self.scripts == other.scripts
    }
}

fn default_on_failure(event: HookEvent) -> OnFailure {
    if event.decides() {
        OnFailure::Block
    } else {
        OnFailure::Ignore
    }
}

impl fmt::Display for HookCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shell(line) => f.write_str(line),
            Self::Program(words) => f.write_str(&words.join(" ")),
        }
    }
}

impl fmt::Display for HookSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.file.display()),
            line => write!(f, "{}:{line}", self.file.display()),
        }
    }
}

impl fmt::Display for HookNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.source, self.message)
    }
}

impl fmt::Display for HookScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::User => "user",
            Self::Project => "project",
        })
    }
}
