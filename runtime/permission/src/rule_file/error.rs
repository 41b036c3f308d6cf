//! Errors of rule files.

use std::io;
use std::path::PathBuf;

use crate::RuleScope;
use crate::acceptances::AcceptanceError;

/// An error of reading or writing a rule file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuleFileError {
    /// The file cannot be read.
    #[error("the rules in `{}` cannot be read", path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The content of the file is not a valid set of rules.
    #[error(
        "`{}` is not a rule file: expected an object with the lists `allow`, `ask` and `deny`, such as \
         {{\"allow\": [\"bash(git commit:*)\"]}}",
        path.display()
    )]
    Invalid {
        /// The path of the file.
        path: PathBuf,
        /// The parse error, with its position.
        #[source]
        source: serde_json::Error,
    },
    /// The file cannot be written.
    #[error("the rules cannot be written to `{}`", path.display())]
    Write {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The acceptances cannot be read or stored.
    #[error(transparent)]
    Acceptances(#[from] AcceptanceError),
    /// No file for rules of this scope is configured.
    #[error("no rule file is configured for the {scope}")]
    NoFile {
        /// The scope.
        scope: RuleScope,
    },
}
