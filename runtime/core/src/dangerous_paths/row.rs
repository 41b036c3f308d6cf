//! A row of the table: a pattern, and the rules for the paths that match it.

use std::path::Path;

use crate::support::wildcard::matches_ignore_ascii_case;

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The pattern, in the syntax of the [table](super).
    pub pattern: &'static str,
    /// Why the paths are in the table.
    pub kind: Kind,
    /// A description of the paths, as text for the user.
    pub reason: &'static str,
    /// The guard of the file tools and of the judgement of commands for reading.
    pub reading: Guard,
    /// The same for writing and removing.
    pub writing: Guard,
    /// The rule of a sandbox for commands.
    pub in_commands: CommandRule,
    /// The depth below a writable folder to which the rule for commands applies. For file tools, the pattern
    /// applies at any depth.
    pub depth: Depth,
}

/// Why a path is in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A program later executes the path or is configured by it, without a command from the user.
    RunsLater,
    /// An agent reads instructions or settings from the path.
    SteersAgents,
    /// The path contains a secret.
    Secret,
}

/// The rule of a policy for an access to a path, from the least to the most strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    /// No restriction.
    Open,
    /// Asks the user after untrusted text was read.
    AfterUntrusted,
    /// Asks the user, unless the mode answers such questions.
    Asks,
    /// Asks the user in every mode that can ask.
    Always,
    /// As [`Always`](Self::Always), and this machine's file system refuses the access even if the user
    /// approves.
    Never,
}

/// The rule of a sandbox for a path inside the folders that commands may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandRule {
    /// No restriction.
    Open,
    /// Commands may change the path. The watcher of the folder reports each change.
    Told,
    /// The contents are checked after a command, and the file is moved away if it would start a program.
    Checked,
    /// The path is read-only; files that appear there are moved away.
    ReadOnly,
    /// The contents are hidden.
    Masked,
}

/// The depth below a writable folder to which a rule for commands applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Directly in the folder.
    Top,
    /// Directly in the folder, and at the top of every repository inside. In a repository that a command has
    /// just created, the change is reported, and the path is protected from then on.
    Repository,
    /// Directly in the folder, and wherever else the sandbox can detect the path.
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

    /// Returns the pattern without the `/` at its end that marks a folder.
    pub fn name(&self) -> &'static str {
        self.pattern.trim_end_matches('/')
    }

    /// Reports whether git itself creates or reads the path in each repository.
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

/// Creates the row of a path that reveals a secret when it is read.
pub(super) const fn secret(pattern: &'static str, reason: &'static str) -> Row {
    Row::new(Kind::Secret, pattern, reason).guards(Guard::Always, Guard::Always)
}

/// Reports whether a pattern matches a name, ignoring case: file systems may be case-insensitive.
pub fn is_named(pattern: &str, name: &str) -> bool {
    matches_ignore_ascii_case(pattern.as_bytes(), name.as_bytes())
}
