//! What is wrong with a file of rules.

use std::io;
use std::path::PathBuf;

use crate::RuleScope;
use crate::acceptances::AcceptanceError;

/// An error in a rule file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuleFileError {
    /// It cannot be read.
    #[error("the rules in `{}` cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// What it says is no list of rules.
    #[error(
        "`{}` is not a rule file: expected an object with the lists `allow`, `ask` and `deny`, such as \
         {{\"allow\": [\"bash(git commit:*)\"]}}",
        path.display()
    )]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        #[source]
        source: serde_json::Error,
    },
    /// It cannot be written.
    #[error("the rules cannot be written to `{}`", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// What was accepted cannot be read or kept.
    #[error(transparent)]
    Acceptances(#[from] AcceptanceError),
    /// There is no place for rules of this scope.
    #[error("no rule file is configured for the {scope}")]
    NoFile {
        /// The scope.
        scope: RuleScope,
    },
}
