//! The settings for buffering progress.

use std::time::Duration;

use serde::Deserialize;

/// The settings for buffering progress: `[progress]` in a settings file.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::tool::ProgressSettings;
///
/// let variable = |name: &str| (name == "HELVE_PROGRESS_FLUSH_MS").then(|| "200".to_owned());
/// let settings = ProgressSettings::default().with_environment(variable)?;
/// assert_eq!(settings.flush_interval_ms, 200);
/// assert_eq!(settings.max_bytes, 16_384);
/// # Ok::<(), helve::tool::InvalidProgressSetting>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ProgressSettings {
    /// Whether progress is sent.
    pub enabled: bool,
    /// The time to wait for more of a stream, in milliseconds; 0 sends everything immediately.
    pub flush_interval_ms: u64,
    /// The maximum size of the buffered part of a stream, in bytes.
    pub max_bytes: usize,
}

impl Default for ProgressSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            flush_interval_ms: 50,
            max_bytes: 16 * 1_024,
        }
    }
}

impl ProgressSettings {
    /// Disables progress.
    #[must_use]
    pub fn disabled() -> Self {
        Self {
            enabled: false,
            ..Self::default()
        }
    }

    /// Sets the time to wait for more of a stream, in milliseconds; 0 sends everything immediately.
    #[must_use]
    pub fn flush_interval(mut self, interval: Duration) -> Self {
        self.flush_interval_ms = u64::try_from(interval.as_millis()).unwrap_or(u64::MAX);
        self
    }

    /// Sets the maximum size of the buffered part of a stream, in bytes.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Overrides the settings with environment variables: `HELVE_PROGRESS` (`on` or `off`), `HELVE_PROGRESS_FLUSH_MS`
    /// and `HELVE_PROGRESS_MAX_BYTES`. An empty variable is ignored.
    ///
    /// # Errors
    ///
    /// If a variable has an invalid value.
    pub fn with_environment(
        mut self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, InvalidProgressSetting> {
        let given = |name| variable(name).filter(|value| !value.trim().is_empty());
        if let Some(value) = given(SWITCH) {
            self.enabled = match value.trim().to_ascii_lowercase().as_str() {
                "on" | "1" | "true" | "yes" => true,
                "off" | "0" | "false" | "no" => false,
                _ => {
                    return Err(InvalidProgressSetting {
                        name: SWITCH,
                        expected: "`on` or `off`",
                        value,
                    });
                }
            };
        }
        if let Some(value) = given(FLUSH_MS) {
            self.flush_interval_ms = number(FLUSH_MS, value)?;
        }
        if let Some(value) = given(MAX_BYTES) {
            self.max_bytes = number(MAX_BYTES, value)?;
        }
        Ok(self)
    }

    pub(super) fn interval(&self) -> Duration {
        Duration::from_millis(self.flush_interval_ms)
    }
}

const SWITCH: &str = "HELVE_PROGRESS";
const FLUSH_MS: &str = "HELVE_PROGRESS_FLUSH_MS";
const MAX_BYTES: &str = "HELVE_PROGRESS_MAX_BYTES";

/// The error of an environment variable with an invalid value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {name} is `{value}`; expected {expected}")]
#[non_exhaustive]
pub struct InvalidProgressSetting {
    /// The variable.
    pub name: &'static str,
    /// The invalid value.
    pub value: String,
    /// The expected values.
    expected: &'static str,
}

fn number<N: std::str::FromStr>(
    name: &'static str,
    value: String,
) -> Result<N, InvalidProgressSetting> {
    value.trim().parse().map_err(|_| InvalidProgressSetting {
        name,
        expected: "a whole number",
        value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &'static str, value: &'static str) -> Result<ProgressSettings, String> {
        let variable = |asked: &str| (asked == name).then(|| value.to_owned());
        let settings = ProgressSettings::default().with_environment(variable);
        settings.map_err(|error| error.to_string())
    }

    #[test]
    fn the_environment_has_the_last_word() {
        assert!(!with(SWITCH, "off").unwrap().enabled);
        assert!(!with(SWITCH, "NO").unwrap().enabled);
        assert!(with(SWITCH, "1").unwrap().enabled);
        assert_eq!(with(SWITCH, ""), Ok(ProgressSettings::default()));
        assert_eq!(with(FLUSH_MS, "0").unwrap().flush_interval_ms, 0);
        assert_eq!(with(MAX_BYTES, " 9 ").unwrap().max_bytes, 9);
    }

    #[test]
    fn what_a_variable_cannot_say_is_an_error() {
        insta::assert_snapshot!(with(SWITCH, "maybe").unwrap_err(), @"the environment variable HELVE_PROGRESS is `maybe`; expected `on` or `off`");
        insta::assert_snapshot!(with(FLUSH_MS, "-1").unwrap_err(), @"the environment variable HELVE_PROGRESS_FLUSH_MS is `-1`; expected a whole number");
    }

    #[test]
    fn a_file_names_what_differs() {
        let settings: ProgressSettings = serde_json::from_str(r#"{"enabled":false}"#).unwrap();
        assert_eq!(settings, ProgressSettings::disabled());
        assert!(serde_json::from_str::<ProgressSettings>(r#"{"on":true}"#).is_err());
    }
}
