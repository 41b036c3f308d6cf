//! The errors of installing skills, written for the user.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error of installing or changing skills. Nothing was changed, unless the message says otherwise.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// The text does not name a source of skills.
    #[error("`{text}` is not a source: {reason}")]
    InvalidSource {
        /// The text, made safe to display.
        text: String,
        /// The reason, and what to write instead.
        reason: String,
    },
    /// Something could not be downloaded.
    #[error("failed to fetch `{url}`: {reason}")]
    Fetch {
        /// The address.
        url: String,
        /// The reason.
        reason: String,
    },
    /// The content is refused: it breaks a limit or a rule.
    #[error("{subject} is refused: {reason}")]
    Refused {
        /// What is refused, such as a skill or an archive.
        subject: String,
        /// The reason, and what to do.
        reason: String,
    },
    /// The source has no skill.
    #[error("{place} has no skill: a skill is a folder with a `SKILL.md`")]
    NoSkills {
        /// The place that was searched.
        place: String,
    },
    /// No skill has that name.
    #[error("there is no skill `{name}` {place}{}", KnownNames(.known))]
    Unknown {
        /// The name.
        name: String,
        /// Where it was looked for, as in `in the source`.
        place: &'static str,
        /// The names that there are.
        known: Vec<String>,
    },
    /// No bundle has that name.
    #[error("there is no bundle `{name}`{}", KnownNames(.known))]
    UnknownBundle {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A bundle that is installed cannot be read.
    #[error(
        "the bundle `{name}` cannot be used: {reason}\nhelp: run `bundles remove {name}`, or add it again"
    )]
    BrokenBundle {
        /// The name.
        name: String,
        /// The reason.
        reason: String,
    },
    /// The acceptances of the user cannot be read or written.
    #[error(transparent)]
    Acceptances(#[from] helve_permission::acceptances::AcceptanceError),
    /// A folder is in the way.
    #[error("`{}` already exists, and was not installed by this command\nhelp: use `--force` to replace it", .0.display())]
    Exists(
        /// The folder.
        PathBuf,
    ),
    /// The installed files differ from those of the lock file.
    #[error(
        "the files of `{name}` were changed since they were installed ({changes})\nhelp: use `--force` to discard the changes"
    )]
    Changed {
        /// The name of the skill.
        name: String,
        /// The changed files.
        changes: String,
    },
    /// The user did not accept the changes.
    #[error("nothing was changed")]
    Declined,
    /// A file could not be read or written.
    #[error("failed to {action} `{}`", path.display())]
    Io {
        /// What was done, as in `write`.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// A file of this program has other content than it writes.
    #[error("`{}` cannot be used: {reason}", path.display())]
    InvalidFile {
        /// The path.
        path: PathBuf,
        /// The reason, and what to do.
        reason: String,
    },
    /// The program lacks something that the operation needs.
    #[error("{0}")]
    Unavailable(
        /// What is missing, and what to do.
        String,
    ),
}

impl InstallError {
    /// Creates the error of content that is refused.
    pub(crate) fn refused(subject: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Refused {
            subject: subject.into(),
            reason: reason.into(),
        }
    }

    /// Creates the error of a file operation.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }

    /// Creates the error of a download.
    pub(crate) fn fetch(url: &url::Url, reason: impl Into<String>) -> Self {
        Self::Fetch {
            url: shown_url(url),
            reason: reason.into(),
        }
    }
}

/// Renders an address without its query, which can hold a secret.
pub(crate) fn shown_url(url: &url::Url) -> String {
    let mut shown = url.clone();
    shown.set_query(None);
    shown.set_fragment(None);
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.to_string()
}

/// Makes a text of others safe to display on one line.
pub(crate) fn shown(text: &str) -> String {
    let text = helve_core::support::text::first_chars(text, 200);
    let hidden = |c: char| {
        c.is_control() || helve_untrusted::strip_invisible(c.encode_utf8(&mut [0; 4])).is_empty()
    };
    text.chars()
        .map(|c| if hidden(c) { '\u{fffd}' } else { c })
        .collect()
}

/// Writes the names that could have been meant.
struct KnownNames<'n>(&'n [String]);

impl fmt::Display for KnownNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 12;
        if self.0.is_empty() {
            return Ok(());
        }
        let first: Vec<&str> = self.0.iter().take(SHOWN).map(String::as_str).collect();
        write!(f, "; there are: {}", first.join(", "))?;
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
