//! What is wrong with a file of rules.

use std::io;
use std::path::PathBuf;

use crate::permission::RuleScope;

/// Says what is wrong with a file of rules.
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
        "`{}` holds no rules: write an object with the lists `allow`, `ask` and `deny`, such as \
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
    /// What is noted as accepted cannot be read.
    #[error(
        "`{}` does not say which rules were accepted: remove it, and accept them again with `permissions trust`",
        path.display()
    )]
    InvalidTrust {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        #[source]
        source: serde_json::Error,
    },
    /// There is no place to note what was accepted.
    #[error("what `{}` says cannot be accepted: {why}", path.display())]
    NoTrust {
        /// The file.
        path: PathBuf,
        /// Why.
        why: &'static str,
    },
    /// There is no place for rules of this scope.
    #[error("there is no file for rules of the {scope}")]
    NoFile {
        /// The scope.
        scope: RuleScope,
    },
}
