//! The choice of a sandbox.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use helve_core::support::text::first_chars;

/// The kind of a sandbox, as users write it: `local`, `passthrough`, `docker:IMAGE`, `ssh:[USER@]HOST[:PORT][/FOLDER]`.
///
/// ```
/// # use helve_remote::{SandboxChoice, UnknownSandbox};
/// let choice: SandboxChoice = "docker:debian:12".parse()?;
/// assert_eq!(choice, SandboxChoice::Docker { image: "debian:12".into() });
/// assert!("none".parse::<SandboxChoice>().is_err());
/// # Ok::<(), UnknownSandbox>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SandboxChoice {
    /// This machine, with isolation.
    #[default]
    Local,
    /// This machine, without isolation: commands can do whatever this program can.
    Passthrough,
    /// A container, through the Docker API.
    Docker {
        /// The image of the container.
        image: String,
    },
    /// Another machine, through SSH.
    Ssh {
        /// `[USER@]HOST[:PORT][/FOLDER]`; without a folder, the path of the local workspace.
        target: String,
    },
}

/// A text that names no kind of sandbox.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown sandbox {text:?}: use `local`, `passthrough`, `docker:IMAGE` or `ssh:[USER@]HOST[:PORT][/FOLDER]`"
)]
pub struct UnknownSandbox {
    text: String,
}

impl SandboxChoice {
    /// Reports whether the files of the sandbox are on another machine or in a container.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        matches!(self, Self::Ssh { .. })
    }

    /// Returns the working folder, if the choice contains one.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Ssh { target } => target.find('/').map(|at| Path::new(&target[at..])),
            _ => None,
        }
    }
}

impl FromStr for SandboxChoice {
    type Err = UnknownSandbox;

    fn from_str(text: &str) -> Result<Self, UnknownSandbox> {
        let unknown = || UnknownSandbox {
            text: first_chars(text, 80).to_owned(),
        };
        let (kind, rest) = match text.split_once(':') {
            Some((kind, rest)) => (kind, Some(rest)),
            None => (text, None),
        };
        let rest = rest.filter(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace));
        match (kind, rest) {
            ("local", None) if text == kind => Ok(Self::Local),
            ("passthrough", None) if text == kind => Ok(Self::Passthrough),
            ("docker", Some(image)) => Ok(Self::Docker {
                image: image.to_owned(),
            }),
            ("ssh", Some(target)) => Ok(Self::Ssh {
                target: target.to_owned(),
            }),
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for SandboxChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("local"),
            Self::Passthrough => f.write_str("passthrough"),
            Self::Docker { image } => write!(f, "docker:{image}"),
            Self::Ssh { target } => write!(f, "ssh:{target}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SandboxChoice;

    #[test]
    fn what_is_written_is_read() {
        for text in ["local", "passthrough", "docker:a/b:1", "ssh:me@host:22/srv"] {
            let choice: SandboxChoice = text.parse().expect("a choice");
            assert_eq!(choice.to_string(), text);
        }
        for text in [
            "", "Local", "local:", "docker", "docker:", "ssh:a b", "none",
        ] {
            assert!(text.parse::<SandboxChoice>().is_err(), "{text}");
        }
    }
}
