//! A dangerous path that settings add.

use std::str::FromStr;

use super::{Guard, PatternEntry};

/// A pattern, with the verdicts for reading and writing the places that it matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DangerousPathSetting {
    #[doc(hidden)]
    pub pattern: String,
    #[doc(hidden)]
    pub on_read: Guard,
    #[doc(hidden)]
    pub on_write: Guard,
    /// A description of the place, for the user.
    pub(super) reason: Option<String>,
}

impl DangerousPathSetting {
    /// The syntax of a setting.
    #[doc(hidden)]
    pub const SYNTAX: &str =
        "PATTERN [reading=open|asks|always] [writing=open|asks|always] [why=TEXT]";
}

/// The error of an invalid setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDangerousPathSetting {
    #[error("`{0}` is an exception; settings can add dangerous paths but not remove them")]
    Exception(String),
    #[error(
        "invalid dangerous-path pattern `{0}`; expected a name, `folder/`, `**/folder/name` or an absolute path"
    )]
    Pattern(String),
    #[error("`{0}` is not known; a dangerous path is written as `{syntax}`", syntax = DangerousPathSetting::SYNTAX)]
    UnknownWord(String),
}

impl FromStr for DangerousPathSetting {
    type Err = InvalidDangerousPathSetting;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let explained = text.split_once(" why=");
        let reason = explained.map(|(_, reason)| reason.trim().to_owned());
        let words = explained.map_or(text, |(words, _)| words);
        let mut words = words.split_whitespace();
        let pattern = words.next().unwrap_or_default();
        if pattern.starts_with('!') {
            return Err(InvalidDangerousPathSetting::Exception(pattern.to_owned()));
        }
        if PatternEntry::parse(pattern).is_none() {
            return Err(InvalidDangerousPathSetting::Pattern(pattern.to_owned()));
        }
        let mut added = Self {
            pattern: pattern.to_owned(),
            on_read: Guard::Always,
            on_write: Guard::Always,
            reason,
        };
        for word in words {
            let unknown = || InvalidDangerousPathSetting::UnknownWord(word.to_owned());
            let (access, guard) = word.split_once('=').ok_or_else(unknown)?;
            let guard = match guard {
                "open" => Guard::Open,
                "asks" => Guard::Asks,
                "always" => Guard::Always,
                _ => return Err(unknown()),
            };
            match access {
                "reading" => added.on_read = guard,
                "writing" => added.on_write = guard,
                _ => return Err(unknown()),
            }
        }
        Ok(added)
    }
}
