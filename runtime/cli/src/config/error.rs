//! What is wrong with the settings.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::location::{FilePosition, SettingOrigin};

/// Says what is wrong with the settings: all mistakes at once, each with its place.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    /// A file cannot be read.
    #[error("the settings in `{}` cannot be read", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// What is said is wrong.
    #[error("{}", list(.0))]
    Invalid(Vec<ConfigDiagnostic>),
    /// A variable that a text needs has no value.
    #[error(
        "{position}: `{place}` needs the variable `{variable}`, {why}: set it, as in `export {variable}=…`"
    )]
    UnsetVariable {
        position: FilePosition,
        place: String,
        variable: String,
        why: &'static str,
    },
    /// The rules cannot be read.
    #[error(transparent)]
    Rules(#[from] helve_permission::RuleFileError),
    /// What the user has accepted cannot be read.
    #[error(transparent)]
    Acceptances(#[from] helve_permission::acceptances::AcceptanceError),
}

/// One thing that is wrong.
#[derive(Debug)]
pub(crate) struct ConfigDiagnostic {
    location: String,
    message: String,
}

impl ConfigDiagnostic {
    pub(super) fn new(origin: &SettingOrigin, what: impl Into<String>) -> Self {
        let place = match origin {
            SettingOrigin::File(position) => position.to_string(),
            SettingOrigin::Environment(name) => format!("the variable `{name}`"),
            other => format!("`{other}`"),
        };
        Self {
            location: place,
            message: what.into(),
        }
    }
}

impl fmt::Display for ConfigDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.message)
    }
}

fn list(mistakes: &[ConfigDiagnostic]) -> String {
    let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
