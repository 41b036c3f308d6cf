//! Errors of the settings.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::location::{FilePosition, SettingOrigin};

/// An error of the settings. Invalid settings are reported together, each with its position.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("failed to read the settings file `{}`", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{}", list(.0))]
    Invalid(Vec<ConfigDiagnostic>),
    #[error(
        "{position}: `{place}` needs the environment variable `{variable}`, {why}; use `export {variable}=…`"
    )]
    UnsetVariable {
        position: FilePosition,
        place: String,
        variable: String,
        why: &'static str,
    },
    #[error(transparent)]
    Rules(#[from] helve_permission::RuleFileError),
    #[error(transparent)]
    Acceptances(#[from] helve_permission::acceptances::AcceptanceError),
}

#[derive(Debug)]
pub(crate) struct ConfigDiagnostic {
    location: String,
    message: String,
}

impl ConfigDiagnostic {
    pub(super) fn new(origin: &SettingOrigin, what: impl Into<String>) -> Self {
        let place = match origin {
            SettingOrigin::File(position) => position.to_string(),
            SettingOrigin::Environment(name) => format!("environment variable `{name}`"),
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
