//! A row of the table: a pattern, and what is made of the paths that it names.

use std::path::Path;

use crate::support::wildcard::matches_ignore_ascii_case;

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The names of the paths, as the [table](super) writes them.
    pub pattern: &'static str,
    /// Why its paths are in the table.
    pub kind: Kind,
    /// What is there, in words for the person.
    pub reason: &'static str,
    /// What the file tools, and the judge of a command, make of reading it.
    pub reading: Guard,
    /// The same of writing and removing it.
    pub writing: Guard,
    /// What a sandbox makes of it for commands.
    pub in_commands: CommandRule,
    /// How deep below a writable folder the rule for commands holds. File tools see a pattern at any depth.
    pub depth: Depth,
}

/// Why a path is in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A program executes or obeys it later, without a command from the user.
    RunsLater,
    /// An agent reads instructions or settings from it.
    SteersAgents,
    /// It holds a secret.
    Secret,
}

/// What a policy does about an access to a path, from the laxest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    /// Nothing.
    Open,
    /// It asks once untrusted text was read.
    AfterUntrusted,
    /// It asks, unless the mode answers such questions.
    Asks,
    /// It asks in every mode that can ask.
    Always,
    /// It asks as [`Always`](Self::Always) does, and the files of this machine refuse whatever the answer is.
    Never,
}

/// What a sandbox does about a path inside the folders that commands may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandRule {
    /// Nothing.
    Open,
    /// Nothing is kept from them. What watches the folder notes each change.
    Told,
    /// What it says is looked at after a command, and moved away where it would start a program.
    Checked,
    /// It stays as it is; what appears there is moved away.
    ReadOnly,
    /// It shows nothing.
    Masked,
}

/// How deep below a writable folder a rule for commands holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Directly in the folder.
    Top,
    /// There, and at the top of every repository inside. In a repository that a command has just made it is reported, and
    /// stays as it is from then on.
    Repository,
    /// There, and wherever else the sandbox can detect it.
    Anywhere,
}

impl Row {
    pub(super) const fn new(kind: Kind, pattern: &'static str, reason: &'static str) -> Self {
        Self {
            pattern,
            kind,
            reason,
            reading: Guard::Open,
            writing: Guard::Open,
            in_commands: CommandRule::Open,
            depth: Depth::Anywhere,
        }
    }

    pub(super) const fn guards(mut self, reading: Guard, writing: Guard) -> Self {
        self.reading = reading;
        self.writing = writing;
        self
    }

    pub(super) const fn commands(mut self, rule: CommandRule, depth: Depth) -> Self {
        self.in_commands = rule;
        self.depth = depth;
        self
    }

    pub(super) const fn masked(self) -> Self {
        self.commands(CommandRule::Masked, Depth::Anywhere)
    }

    pub(super) const fn read_only(self, depth: Depth) -> Self {
        self.commands(CommandRule::ReadOnly, depth)
    }

    pub(super) const fn reported_to_watch(self) -> Self {
        self.commands(CommandRule::Told, Depth::Anywhere)
    }

    /// Returns the pattern without the `/` that makes it a folder.
    pub fn name(&self) -> &'static str {
        self.pattern.trim_end_matches('/')
    }

    /// Reports whether the row is about a place that git makes or reads by itself in each repository.
    pub fn is_of_git(&self) -> bool {
        self.pattern.starts_with(".git/") || matches!(self.pattern, ".gitmodules" | ".gitconfig")
    }

    /// Reports whether a path ends in the names of the pattern.
    pub(super) fn ends(&self, path: &Path) -> bool {
        let mut names = path.components().rev();
        self.name().split('/').rev().all(|wanted| {
            let name = names.next().and_then(|name| name.as_os_str().to_str());
            name.is_some_and(|name| is_named(wanted, name))
        })
    }
}

/// Makes the row of what shows a secret when it is read.
pub(super) const fn secret(pattern: &'static str, reason: &'static str) -> Row {
    Row::new(Kind::Secret, pattern, reason).guards(Guard::Always, Guard::Always)
}

/// Reports whether a pattern matches a name, without regard to case: a file system may not regard it.
pub fn is_named(pattern: &str, name: &str) -> bool {
    matches_ignore_ascii_case(pattern.as_bytes(), name.as_bytes())
}
