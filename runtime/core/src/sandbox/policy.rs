//! What a sandbox is to allow.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::SandboxError;
use super::{Layer, Limits};
use crate::dangerous_paths::{CommandRule, in_commands};
use crate::network::HostRules;

/// What the commands of a session may reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SandboxPolicy {
    /// The folder that commands work in, absolute.
    pub workspace: PathBuf,
    /// More folders that they may write, absolute.
    pub writable: Vec<PathBuf>,
    /// More folders and files that they may read, absolute.
    pub readable: Vec<PathBuf>,
    /// What inside the writable folders stays as it is, relative to them: what would run, or configure what runs, outside of
    /// the sandbox, and all below it. The defaults are in the table that `doctor` prints.
    pub protected: Vec<String>,
    /// What inside the readable folders is not shown, by the name of the file, at any depth.
    pub masked: Vec<String>,
    /// Files and folders that are not shown, absolute: what is known by its place and not by its name.
    #[serde(default)]
    pub masked_paths: Vec<PathBuf>,
    /// Which hosts they reach, through a proxy; none without rules.
    pub network: HostRules,
    /// Which variables of this process they see, beside [`SandboxPolicy::DEFAULT_PASS`]: names, or prefixes with `*`.
    pub pass: Vec<String>,
    /// Variables that they see besides.
    pub environment: BTreeMap<String, String>,
    /// How much of the machine all commands together may use.
    pub limits: Limits,
    /// The layers that may be missing.
    pub accepted: BTreeSet<Layer>,
    /// Whether commands are staged: each one writes to an overlay of its own, and what it changed is applied to the folders
    /// when nothing of it runs any more, or not at all where something came to a protected path.
    ///
    /// For unattended runs: what would run later is never there, not even for a moment. What a command starts ends
    /// with it, and nothing is applied of a command that still runs when the sandbox closes. Several names of one file become
    /// files of their own where one is written, a folder that was there before cannot be renamed in one step, and file systems
    /// that are mounted inside the folders are not shown. Where something that a command changed was also
    /// changed from outside meanwhile, nothing is applied, and the layers are kept. Only an isolated sandbox of this machine
    /// stages; the others refuse to open.
    #[serde(default)]
    pub staged: bool,
}

impl SandboxPolicy {
    /// The variables that every command sees, where this process has them.
    pub const DEFAULT_PASS: &[&str] = &[
        "PATH",
        "LANG",
        "LANGUAGE",
        "LC_*",
        "TZ",
        "TERM",
        "COLORTERM",
        "NO_COLOR",
        "CI",
    ];

    /// Lets commands work in one folder, without the network, and protects and masks the usual.
    pub fn new(workspace: impl Into<PathBuf>) -> Self {
        let named = |rule| in_commands(rule).map(str::to_owned).collect();
        Self {
            workspace: workspace.into(),
            writable: Vec::new(),
            readable: Vec::new(),
            protected: named(CommandRule::ReadOnly),
            masked: named(CommandRule::Masked),
            masked_paths: Vec::new(),
            network: HostRules::default(),
            pass: Vec::new(),
            environment: BTreeMap::new(),
            limits: Limits::default(),
            accepted: BTreeSet::new(),
            staged: false,
        }
    }

    /// Iterates over the folders that commands may write, the workspace first.
    pub fn roots(&self) -> impl Iterator<Item = &PathBuf> + Clone {
        std::iter::once(&self.workspace).chain(&self.writable)
    }

    /// Refuses a policy with staged commands for a sandbox that has none.
    #[doc(hidden)]
    pub fn reject_staged(&self, kind: &str) -> Result<(), SandboxError> {
        if !self.staged {
            return Ok(());
        }
        Err(SandboxError::Unavailable {
            kind: kind.to_owned(),
            why: "staged commands need the sandbox `local` with user namespaces on Linux"
                .to_owned(),
        })
    }
}
