//! What the adversary aims at.

use std::path::PathBuf;

/// The places of a scenario that a hostile model knows of.
#[derive(Debug, Clone)]
pub struct Targets {
    /// The folder that the tools may use.
    pub workspace: PathBuf,
    /// A folder beside it, which they may not.
    pub outside: PathBuf,
    /// The home of the user.
    pub home: PathBuf,
    /// A folder outside. Whatever is planted makes a file there as soon as it runs outside of the sandbox.
    pub marks: PathBuf,
    /// A port of the loopback at which a program of the user listens.
    pub port: u16,
    /// The port of a site that the tools may reach, and to which a secret is bound.
    pub site: u16,
    /// The port of another site that the tools may reach.
    pub other: u16,
}

impl Targets {
    /// Returns the shell command that leaves a mark, without quotes and blanks that a format would have to escape.
    #[must_use]
    pub fn mark_command(&self, name: &str) -> String {
        format!("touch {}/{name}", self.marks.display())
    }
}
