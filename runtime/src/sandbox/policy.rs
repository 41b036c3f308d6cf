//! What a sandbox is to allow.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Layer, Limits};
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
    /// What inside the writable folders stays as it is; see [`SandboxPolicy::PROTECTED`].
    pub protected: Vec<String>,
    /// What inside the readable folders is not shown; see [`SandboxPolicy::MASKED`].
    pub masked: Vec<String>,
    /// Files and folders that are not shown, absolute: what is known by its place and not by its name.
    #[serde(default)]
    pub masked_paths: Vec<PathBuf>,
    /// Which hosts they reach, through a proxy; none without rules.
    pub network: HostRules,
    /// Which variables of this process they see, beside [`SandboxPolicy::PASSED`]: names, or prefixes with `*`.
    pub pass: Vec<String>,
    /// Variables that they see besides.
    pub environment: BTreeMap<String, String>,
    /// How much of the machine all commands together may use.
    pub limits: Limits,
    /// The layers whose absence somebody accepted.
    pub accepted: BTreeSet<Layer>,
}

impl SandboxPolicy {
    /// What is protected without another word, relative to a writable folder: what would run, or configure what runs,
    /// outside of the sandbox. What is below a name in the list is protected with it.
    pub const PROTECTED: &[&str] = &[
        ".git/hooks",
        ".git/config",
        ".git/config.worktree",
        ".git/info/attributes",
        ".gitmodules",
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".zlogin",
        ".config/fish",
        ".envrc",
        ".gitconfig",
        ".ssh",
        ".vscode",
        ".idea",
        ".zed",
        ".cursor",
        ".claude",
        ".agents",
        ".mcp.json",
        "helve.toml",
    ];

    /// What is masked without another word, by the name of the file, at any depth.
    pub const MASKED: &[&str] = &[
        ".env",
        ".env.local",
        ".env.*.local",
        ".env.development",
        ".env.production",
        ".env.staging",
        ".env.test",
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        "*.pem",
        "*.key",
        "*.p12",
        "*.pfx",
    ];

    /// The variables that every command sees, where this process has them.
    pub const PASSED: &[&str] = &[
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
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Self {
            workspace: workspace.into(),
            writable: Vec::new(),
            readable: Vec::new(),
            protected: owned(Self::PROTECTED),
            masked: owned(Self::MASKED),
            masked_paths: Vec::new(),
            network: HostRules::default(),
            pass: Vec::new(),
            environment: BTreeMap::new(),
            limits: Limits::default(),
            accepted: BTreeSet::new(),
        }
    }
}
