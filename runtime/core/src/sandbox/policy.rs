//! The policy of a sandbox.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::SandboxError;
use super::{Layer, Limits};
use crate::dangerous_paths::{CommandRule, in_commands};
use crate::network::HostRules;

/// The resources that the commands of a session may use.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::network::HostRules;
/// use helve::sandbox::SandboxPolicy;
///
/// let mut policy = SandboxPolicy::new("/home/me/project");
/// policy.readable.push("/usr/share/dict".into());
/// policy.network = HostRules::from_allowed(["crates.io"]);
/// policy.limits.memory = Some(1 << 30);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SandboxPolicy {
    /// The working folder of commands, absolute.
    pub workspace: PathBuf,
    /// Further writable folders, absolute.
    pub writable: Vec<PathBuf>,
    /// Further readable folders and files, absolute.
    pub readable: Vec<PathBuf>,
    /// Protected paths inside the writable folders, relative to them, with everything below them: files that are
    /// executed, or configure what is executed, outside of the sandbox. The defaults are in the table that `doctor`
    /// prints.
    pub protected: Vec<String>,
    /// The names of the files that are hidden in the readable folders, at any depth.
    pub masked: Vec<String>,
    /// Files and folders that are hidden, absolute: those that are identified by their location and not by their name.
    #[serde(default)]
    pub masked_paths: Vec<PathBuf>,
    /// The hosts that commands reach through a proxy; without rules, none.
    pub network: HostRules,
    /// The variables of this process that commands see, besides [`SandboxPolicy::DEFAULT_PASS`]: names, or prefixes
    /// with `*`.
    pub pass: Vec<String>,
    /// Further environment variables for commands.
    pub environment: BTreeMap<String, String>,
    /// The resource limits of all commands together.
    pub limits: Limits,
    /// The layers that are allowed to be missing.
    pub accepted: BTreeSet<Layer>,
    /// Whether commands are staged: each command writes to its own overlay, and its changes are applied to the folders
    /// once all its processes have ended, or not at all if something was created at a protected path.
    ///
    /// This is for unattended runs: files that would be executed later never exist, not even for a moment. Processes
    /// that a command starts end with the command, and the changes of a command that is still running when the sandbox
    /// closes are discarded. Hard links become separate files when one of them is written, a folder that existed
    /// before cannot be renamed in one step, and file systems that are mounted inside the folders are hidden. If a
    /// file that a command changed was meanwhile also changed from outside, nothing is applied, and the overlays are
    /// kept. Only an isolated sandbox of this machine supports staging; the others refuse to open.
    #[serde(default)]
    pub staged: bool,
    /// Whether accesses that the policy does not allow are asked about. Then a proxy runs even if no host is allowed, and
    /// a connection to another host is held until the [approver](super::ConnectionApprover) of the turn has answered.
    /// Denied, private and metadata addresses are refused without a question, and so is everything where no approver is
    /// attached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ask_blocked: bool,
}

impl SandboxPolicy {
    /// The variables of this process that every command sees.
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

    /// Creates a policy with one writable folder, no network, and the default protected and masked paths.
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
            ask_blocked: false,
        }
    }

    /// Reports whether the commands need a proxy: a host may be reached, now or after a question.
    #[must_use]
    pub fn needs_proxy(&self) -> bool {
        self.ask_blocked || !self.network.allow.is_empty()
    }

    /// Iterates over the folders that commands may write, the workspace first.
    pub fn roots(&self) -> impl Iterator<Item = &PathBuf> + Clone {
        std::iter::once(&self.workspace).chain(&self.writable)
    }

    /// Refuses a policy with staged commands for a sandbox that does not support them.
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
