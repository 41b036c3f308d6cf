//! Errors of the settings.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::location::{FilePosition, SettingOrigin};

/// An error of the settings. Invalid settings are reported together, each with its position.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file cannot be read.
    #[error("failed to read the settings file `{}`", path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// The sources have mistakes.
    #[error("{}", list(.0))]
    Invalid(Vec<ConfigDiagnostic>),
    /// A text needs an environment variable that has no value.
    #[error(
        "{position}: `{place}` needs the environment variable `{variable}`, {why}; use `export {variable}=…`"
    )]
    UnsetVariable {
        /// Where the text is.
        position: FilePosition,
        /// The key.
        place: String,
        /// The name of the variable.
        variable: String,
        /// The state of the variable.
        why: &'static str,
    },
    /// The permission rules cannot be read.
    #[error(transparent)]
    Rules(#[from] helve_permission::RuleFileError),
    /// The acceptances of the user cannot be read.
    #[error(transparent)]
    Acceptances(#[from] helve_permission::acceptances::AcceptanceError),
}

#[derive(Debug)]
pub struct ConfigDiagnostic {
    location: String,
    message: String,
}

impl ConfigDiagnostic {
    pub fn new(origin: &SettingOrigin, what: impl Into<String>) -> Self {
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
