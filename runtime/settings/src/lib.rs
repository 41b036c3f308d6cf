//! The settings of files, environment variables and flags, each with its source.
//!
//! | wins over those above it | |
//! |---|---|
//! | the app | its own `.model(…)` |
//! | the user | `helve/helve.toml` in the folder of configurations: `$XDG_CONFIG_HOME` or `~/.config` |
//! | the project | the nearest `helve.toml` from the root upwards, as far as the repository reaches |
//! | the environment | `HELVE_MODEL` and so on |
//! | the flags | `--model` and so on |
//!
//! The values of all sources apply together for the keys of `[tools]`, which can only remove tools.
//!
//! A project file is not trusted by default. Settings that could send a key or a conversation to another host, or allow
//! more calls, and settings that use environment variables are in force only while they are byte for byte the settings
//! that the user has accepted with `permissions trust`. Depend on `helve` instead of this crate.

mod arguments;
mod editor;
mod error;
mod field_value;
mod file;
mod key;
mod key_set;
mod keys;
mod layer;
mod location;
mod project_file;
mod schema_field;
mod sections;
#[cfg(feature = "mcp")]
mod server_edit;
mod value_kind;
mod variables;

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ArgMatches;

pub use arguments::{arguments, sandbox_argument};
pub use editor::{EditError, SettingsEditor};
use error::ConfigDiagnostic;
pub use error::ConfigError;
pub use file::{check_settings, find_project_file, read as read_file, user_path};
pub use key::{AllowedFiles, Key};
pub use key_set::{KeySet, is_built_in};
use layer::ConfigLayer;
pub use layer::{ConfigEntry, ForeignSection, redact_credentials};
use location::FilePosition;
pub use location::{KeyPath, SettingOrigin, display_path, resolve_path};
pub use project_file::{ProjectFile, UnacceptedSettings};
pub use schema_field::SchemaField;
pub use value_kind::SettingValue;

/// The settings of a folder, each with its source.
#[derive(Debug, Default)]
pub struct Config {
    entries: BTreeMap<KeyPath, ConfigEntry>,
    /// The values of cumulative settings, in the order of the sources.
    cumulative: Vec<(KeyPath, ConfigEntry)>,
    files: Vec<ConfigFile>,
    foreign_sections: Vec<ForeignSection>,
    unaccepted: Option<UnacceptedSettings>,
    has_accepted_project: bool,
}

/// A settings file, whether it exists or not.
#[derive(Debug)]
pub struct ConfigFile {
    /// The owner: `user` or `project`.
    pub owner: &'static str,
    /// The path.
    pub path: PathBuf,
    /// Whether the file exists.
    pub exists: bool,
}

/// The value of a setting, and its source.
#[derive(Debug, Clone)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// The source.
    pub origin: SettingOrigin,
}

/// The help about the configuration files.
pub const HELP: &str = "\
Settings are read from these sources; later sources override earlier ones:
  ~/.config/helve/helve.toml  the user's file, for every app ($XDG_CONFIG_HOME/helve/helve.toml)
  helve.toml                  the project's file: the nearest one, searched from the root folder up to the root of the repository
  HELVE_MODEL, …              environment variables
  --model, …                  the flags

Strings in a file may contain ${VARIABLE}; write $${ for a literal `${`.

A project file is not trusted by default: its models, providers, prices, less restrictive modes and settings of packs, \
and values that use environment variables, apply only after you accept them with `permissions trust`. The [tools] \
tables of all files apply together: each can only remove tools.";

/// Returns where the user's file is, or would be, as a person writes it.
pub fn user_file_text() -> String {
    user_path().map_or_else(
        || "~/.config/helve/helve.toml".to_owned(),
        |path| display_path(&path),
    )
}

impl Config {
    /// Loads the settings of a folder, with the flags of a command.
    pub fn load(keys: &KeySet, folder: &Path, matches: &ArgMatches) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        let mut mistakes = Vec::new();
        if let Some(path) = user_path() {
            let text = file::read(&path)?;
            let layer = text.as_deref().map(|text| file::parse(keys, &path, text));
            config.add_file("user", path, text.is_some());
            config.merge_layer(layer.unwrap_or_default(), &mut mistakes);
        }
        let project = ProjectFile::read(folder, keys)?;
        let (layer, unaccepted, is_accepted) = project.effective_layer()?;
        config.has_accepted_project = is_accepted;
        config.add_file("project", project.path().to_owned(), project.exists());
        config.unaccepted = unaccepted;
        config.merge_layer(layer, &mut mistakes);
        config.merge_layer(arguments::read_environment(), &mut mistakes);
        config.merge_layer(arguments::read_flags(matches), &mut mistakes);
        if mistakes.is_empty() {
            Ok(config)
        } else {
            Err(ConfigError::Invalid(mistakes))
        }
    }

    /// Parses the settings of one file that the user has written.
    ///
    /// # Panics
    /// When the text has mistakes: it is that of a test.
    pub fn from_text(text: &str) -> Self {
        let mut config = Self::default();
        let mut mistakes = Vec::new();
        let keys = KeySet::with_declared([]);
        let layer = file::parse(&keys, Path::new("helve.toml"), text);
        config.merge_layer(layer, &mut mistakes);
        assert!(mistakes.is_empty(), "{mistakes:?}");
        config
    }

    fn add_file(&mut self, whose: &'static str, path: PathBuf, is_there: bool) {
        self.files.push(ConfigFile {
            owner: whose,
            path,
            exists: is_there,
        });
    }

    /// Merges a layer, which overrides the earlier layers.
    fn merge_layer(&mut self, layer: ConfigLayer, mistakes: &mut Vec<ConfigDiagnostic>) {
        // A server is one thing: the headers of one file never go to the address of another.
        #[cfg(feature = "mcp")]
        for name in layer.server_names() {
            let is_of_it = |place: &KeyPath| {
                let table = ["mcp", "servers", name.as_str()];
                place.segments().take(table.len()).eq(table)
            };
            self.entries.retain(|place, _| !is_of_it(place));
        }
        let narrowing = layer.entries.iter();
        let narrowing = narrowing.filter(|(_, entry)| entry.key.is_cumulative);
        let narrowing = narrowing.map(|(place, entry)| (place.clone(), entry.clone()));
        self.cumulative.extend(narrowing);
        self.entries.extend(layer.entries);
        self.foreign_sections.extend(layer.foreign_sections);
        mistakes.extend(layer.diagnostics);
    }

    /// Returns the files that were looked for.
    pub fn files(&self) -> &[ConfigFile] {
        &self.files
    }

    /// Returns the tables of the files that are no section of this app.
    pub fn foreign_sections(&self) -> &[ForeignSection] {
        &self.foreign_sections
    }

    /// Returns the settings of the project that the user has not accepted.
    pub fn unaccepted(&self) -> Option<&UnacceptedSettings> {
        self.unaccepted.as_ref()
    }

    /// Reports whether the project has settings that need an acceptance, and the user has accepted them.
    pub fn has_accepted_project(&self) -> bool {
        self.has_accepted_project
    }

    /// Returns the settings in force, sorted by key.
    pub fn entries(&self) -> impl Iterator<Item = (&KeyPath, &ConfigEntry)> {
        self.entries.iter()
    }

    /// Returns the cumulative settings, in the order of the sources.
    pub fn cumulative_entries(&self) -> impl Iterator<Item = (&KeyPath, &ConfigEntry)> {
        self.cumulative.iter().map(|(place, entry)| (place, entry))
    }

    /// Returns every list of a cumulative setting, with its variables expanded.
    pub fn cumulative_texts(
        &self,
        place: &[&str],
    ) -> Result<Vec<Setting<Vec<String>>>, ConfigError> {
        let place = KeyPath::new(place.iter().copied());
        let said = self.cumulative.iter().filter(|(of, _)| *of == place);
        said.map(|(place, entry)| expanded_texts(place, entry))
            .collect()
    }

    /// Returns the keys of a table, without duplicates.
    pub fn table_keys(&self, table: &[&str]) -> Vec<&str> {
        let named = self.entries.keys().filter_map(|place| {
            let mut segments = place.segments();
            let is_inside = table.iter().all(|name| segments.next() == Some(name));
            is_inside.then(|| segments.next())?
        });
        let mut names: Vec<&str> = named.collect();
        names.dedup();
        names
    }

    /// Returns a text, with the values of its variables.
    pub fn text(&self, place: &[&str]) -> Result<Option<Setting<String>>, ConfigError> {
        let texts = self.texts(place)?;
        Ok(texts.and_then(|Setting { value, origin }| {
            let value = value.into_iter().next()?;
            Some(Setting { value, origin })
        }))
    }

    /// Returns a list of texts, with the values of their variables.
    pub fn texts(&self, place: &[&str]) -> Result<Option<Setting<Vec<String>>>, ConfigError> {
        let place = KeyPath::new(place.iter().copied());
        let entry = self.entries.get(&place);
        entry.map(|entry| expanded_texts(&place, entry)).transpose()
    }

    /// Returns a list of texts, with the values of their variables; empty if the list is not set.
    pub fn list(&self, place: &[&str]) -> Result<Vec<String>, ConfigError> {
        Ok(self.texts(place)?.map_or_else(Vec::new, |said| said.value))
    }

    /// Returns the settings with another model, as the flag `--model` sets it.
    ///
    /// # Errors
    /// When the text is no name of a model.
    pub fn with_model(&self, name: &str) -> Result<Self, ConfigError> {
        let key = keys::KEYS.iter().find(|key| key.name == "model");
        let texts = key.map(|key| (key, SettingOrigin::Flag("model"), name.to_owned()));
        let mut config = Self {
            entries: self.entries.clone(),
            ..Self::default()
        };
        let mut mistakes = Vec::new();
        config.merge_layer(ConfigLayer::from_texts(texts), &mut mistakes);
        if mistakes.is_empty() {
            Ok(config)
        } else {
            Err(ConfigError::Invalid(mistakes))
        }
    }

    fn value(&self, place: &[&str]) -> Option<&SettingValue> {
        let entry = self.entries.get(&KeyPath::new(place.iter().copied()));
        entry.map(|entry| &entry.value)
    }

    /// Returns a whole number.
    pub fn integer(&self, place: &[&str]) -> Option<u64> {
        match self.value(place)? {
            SettingValue::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns a number of seconds.
    pub fn seconds(&self, place: &[&str]) -> Option<Duration> {
        Duration::try_from_secs_f64(self.number(place)?).ok()
    }

    /// Returns a time limit; the inner `None` is the value `none`.
    pub fn time_limit(&self, place: &[&str]) -> Option<Option<Duration>> {
        match self.value(place)? {
            SettingValue::Number(seconds) => Some(Duration::try_from_secs_f64(*seconds).ok()),
            SettingValue::Text(_) => Some(None),
            _ => None,
        }
    }

    /// Returns a truth value.
    pub fn boolean(&self, place: &[&str]) -> Option<bool> {
        match self.value(place)? {
            SettingValue::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the error for a table without a required key.
    pub fn missing_key_error(&self, table: &[&str], key: &str) -> ConfigError {
        let table = KeyPath::new(table.iter().copied());
        let what = format!("`{table}` has no `{key}`");
        self.table_error(&table, what)
    }

    /// Returns the error for a table, at its first line.
    pub fn table_error(&self, table: &KeyPath, what: impl Into<String>) -> ConfigError {
        let origin = self.table_origin(table).unwrap_or(&SettingOrigin::Default);
        ConfigError::Invalid(vec![ConfigDiagnostic::new(origin, what)])
    }

    /// Returns the source of a table: that of its first key.
    pub fn table_origin(&self, table: &KeyPath) -> Option<&SettingOrigin> {
        let length = table.segments().count();
        let mut inside = self
            .entries
            .iter()
            .filter(|(place, _)| place.segments().take(length).eq(table.segments()));
        let (_, first) = inside.next()?;
        let line = |entry: &ConfigEntry| match &entry.origin {
            SettingOrigin::File(position) => (position.line, position.column),
            _ => (0, 0),
        };
        let nearest = inside.fold(first, |first, (_, entry)| {
            if line(entry) < line(first) {
                entry
            } else {
                first
            }
        });
        Some(&nearest.origin)
    }

    /// Returns a number.
    pub fn number(&self, place: &[&str]) -> Option<f64> {
        match self.value(place)? {
            SettingValue::Number(number) => Some(*number),
            _ => None,
        }
    }
}

fn expanded_texts(
    place: &KeyPath,
    entry: &ConfigEntry,
) -> Result<Setting<Vec<String>>, ConfigError> {
    let texts = entry.texts().into_iter();
    let texts = texts.map(|text| expand_text(place, entry, text));
    Ok(Setting {
        value: texts.collect::<Result<_, _>>()?,
        origin: entry.origin.clone(),
    })
}

/// Expands the variables of a text of a file. The values of environment variables and flags are not expanded.
fn expand_text(place: &KeyPath, entry: &ConfigEntry, text: &str) -> Result<String, ConfigError> {
    let SettingOrigin::File(position) = &entry.origin else {
        return Ok(text.to_owned());
    };
    let expanded = variables::expand(text, variable_value)
        .map_err(|variable| unset_variable(position, place, variable))?;
    // The expanded text may be invalid for the setting.
    if let Err(what) = entry.key.kind.validate(&expanded) {
        let what = if entry.key.is_secret {
            let kind = entry.key.kind.describe();
            format!("`{place}`: with its variables expanded, the value is not {kind}")
        } else {
            format!("`{place}`: {what}")
        };
        return Err(ConfigError::Invalid(vec![ConfigDiagnostic::new(
            &entry.origin,
            what,
        )]));
    }
    Ok(expanded)
}

/// Expands the variables of a text; the error is the name of the first variable without a value.
pub fn expand_variables(text: &str) -> Result<String, String> {
    variables::expand(text, variable_value).map_err(str::to_owned)
}

fn variable_value(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Says that a text needs a variable that has no value.
fn unset_variable(position: &FilePosition, place: &KeyPath, variable: &str) -> ConfigError {
    ConfigError::UnsetVariable {
        position: position.clone(),
        place: place.to_string(),
        variable: variable.to_owned(),
        why: match env::var_os(variable) {
            None => "which is not set",
            Some(value) if value.is_empty() => "which is empty",
            Some(_) => "which is no UTF-8",
        },
    }
}
