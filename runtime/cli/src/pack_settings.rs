//! The settings that packs declare: checked when the app starts, and added to its state.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::config::{
    Config, ConfigError, Key, KeyPath, KeySet, SchemaField, display_path, is_built_in,
    user_file_text,
};
use helve_core::schema::{CanonicalSchema, explain};
use helve_core::tool::{SettingsSection, SettingsValue, State, UnconfiguredSettings};
use helve_core::toolset::Toolset;

#[derive(Debug, Default)]
pub(super) struct PackSettings {
    sections: Vec<DeclaredSection>,
    keys: KeySet,
}

#[derive(Debug)]
struct DeclaredSection {
    section: Arc<SettingsSection>,
    schema: CanonicalSchema,
}

/// Where a section is declared, and as which type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsDeclaration {
    /// The name of the section.
    pub section: String,
    /// The name of the type.
    pub type_name: &'static str,
    /// Where it is declared, as `file:line`.
    pub location: String,
}

/// Says why the settings that packs declare do not fit together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsConflict {
    /// Two packs declare one section.
    #[error("two packs declare the settings `[{}]`: {first}, and {second}; rename one of the sections", first.section)]
    DuplicateSection {
        /// The one declaration.
        first: Box<SettingsDeclaration>,
        /// The other declaration.
        second: Box<SettingsDeclaration>,
    },
    /// Two sections are read as one type.
    #[error("two packs declare settings of one type: {first}, and {second}; a `&{}` could mean either", first.type_name)]
    DuplicateType {
        /// The one declaration.
        first: Box<SettingsDeclaration>,
        /// The other declaration.
        second: Box<SettingsDeclaration>,
    },
    /// The type is state of the app.
    #[error("`{name}` is both state of the app and the settings of a pack: {0}", name = .0.type_name)]
    State(Box<SettingsDeclaration>),
    /// The name is one of built-in settings.
    #[error("a pack declares the settings `[{name}]`, which are built-in settings of helve: {0}; rename the section", name = .0.section)]
    BuiltIn(Box<SettingsDeclaration>),
    /// The name cannot be written without quotes.
    #[error("a pack declares the settings `[{name}]`: {0}; the name of a section has letters, digits, `_` and `-`", name = .0.section)]
    Name(Box<SettingsDeclaration>),
    /// The type is no table.
    #[error("a pack declares the settings `[{name}]`: {0}; the type of a section must be a struct with named fields", name = .0.section)]
    Type(Box<SettingsDeclaration>),
}

impl SettingsDeclaration {
    fn new(section: &SettingsSection) -> Box<Self> {
        Box::new(Self {
            section: section.name().to_owned(),
            type_name: section.type_name(),
            location: section.location(),
        })
    }
}

impl fmt::Display for SettingsDeclaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            section,
            type_name,
            location,
        } = self;
        write!(f, "`[{section}]` as `{type_name}` at {location}")
    }
}

impl PackSettings {
    /// Collects the sections of packs, and checks that they fit together.
    pub(super) fn from_packs<'p>(
        packs: impl IntoIterator<Item = &'p Toolset>,
    ) -> Result<Self, SettingsConflict> {
        let mut sections: Vec<Arc<SettingsSection>> = Vec::new();
        for pack in packs {
            for section in pack.tools().iter().flat_map(|tool| tool.settings()) {
                if !sections.contains(&section) {
                    check_conflicts(&section, &sections)?;
                    sections.push(section);
                }
            }
        }
        sections.sort_by(|one, other| one.name().cmp(other.name()));
        let mut keys = Vec::new();
        let mut declared = Vec::new();
        for section in sections {
            let (schema, fields) = section_fields(&section)
                .ok_or_else(|| SettingsConflict::Type(SettingsDeclaration::new(&section)))?;
            let fields = fields.into_iter();
            keys.extend(fields.map(|field| Key::from_field(section.name(), field)));
            declared.push(DeclaredSection { section, schema });
        }
        Ok(Self {
            sections: declared,
            keys: KeySet::with_declared(keys),
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    /// Returns the keys of the sections, beside those that are built in.
    pub(super) fn keys(&self) -> &KeySet {
        &self.keys
    }

    /// Checks that no state of the app has the type of a section.
    pub(super) fn check_state(&self, scopes: &[&State]) -> Result<(), SettingsConflict> {
        let sections = self.sections.iter().map(|declared| &declared.section);
        let mut taken = sections.filter(|section| {
            let mut scopes = scopes.iter();
            scopes.any(|state| state.contains(section.value_type_id()))
        });
        match taken.next() {
            Some(section) => Err(SettingsConflict::State(SettingsDeclaration::new(section))),
            None => Ok(()),
        }
    }

    /// Returns a state that has an entry for the type of each section, and no values.
    pub(super) fn reserved_state(&self) -> State {
        let mut state = State::new();
        for declared in &self.sections {
            declared.section.reserve(&mut state);
        }
        state
    }

    /// Adds the values of the sections to a state. A section that has no value is one that the tools say is not configured.
    ///
    /// # Errors
    ///
    /// Returns the error of the settings, or that of a value which its type does not take.
    pub(super) fn insert_values(
        &self,
        settings: Result<Config, ConfigError>,
        state: &mut State,
    ) -> Result<Config, ConfigError> {
        let mut unconfigured = UnconfiguredSettings::default();
        let mut read = |config: Config| -> Result<Config, ConfigError> {
            for declared in &self.sections {
                match declared.read(&config)? {
                    Ok(value) => value.insert_into(state),
                    Err(hint) => unconfigured.insert(declared.section.name(), hint),
                }
            }
            Ok(config)
        };
        let settings = settings.and_then(&mut read);
        if settings.is_err() {
            for declared in &self.sections {
                unconfigured.insert(declared.section.name(), "the settings cannot be read");
            }
        }
        state.insert(unconfigured);
        settings
    }
}

/// Returns the schema of a section and its fields; `None` where the keys of the section cannot be listed.
fn section_fields(section: &SettingsSection) -> Option<(CanonicalSchema, Vec<SchemaField>)> {
    let schema = section.schema()?;
    let fields = SchemaField::list(&schema)?;
    let has_dot = |field: &SchemaField| field.path().iter().any(|name| name.contains('.'));
    let can_be_listed = !fields.is_empty() && !fields.iter().any(has_dot);
    can_be_listed.then_some((schema, fields))
}

/// Checks a section against those that were found before.
fn check_conflicts(
    section: &SettingsSection,
    others: &[Arc<SettingsSection>],
) -> Result<(), SettingsConflict> {
    let name = section.name();
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || !name.chars().all(is_bare) {
        return Err(SettingsConflict::Name(SettingsDeclaration::new(section)));
    }
    if is_built_in(name) {
        return Err(SettingsConflict::BuiltIn(SettingsDeclaration::new(section)));
    }
    for other in others {
        let [first, second] = [&**other, section].map(SettingsDeclaration::new);
        if other.name() == name {
            return Err(SettingsConflict::DuplicateSection { first, second });
        }
        if other.value_type_id() == section.value_type_id() {
            return Err(SettingsConflict::DuplicateType { first, second });
        }
    }
    Ok(())
}

impl DeclaredSection {
    /// Reads the value of the section, or says what to set.
    fn read(&self, config: &Config) -> Result<Result<SettingsValue, String>, ConfigError> {
        let name = self.section.name();
        let json = match config.section(name) {
            Ok(json) => json,
            // Only the tools of the pack need the variable.
            Err(error @ ConfigError::UnsetVariable { .. }) => return Ok(Err(error.to_string())),
            Err(error) => return Err(error),
        };
        let error = match self.section.read(&json) {
            Ok(value) => return Ok(Ok(value)),
            Err(error) => error,
        };
        if let Some(hint) = self.missing_keys(&json) {
            return Ok(Err(hint + &unaccepted_hint(name, config)));
        }
        let table = KeyPath::new([name]);
        let what = self.describe_error(config, &error);
        Err(config.table_error(&table, format!("`{name}`: {what}")))
    }

    /// Says which required keys to set.
    fn missing_keys(&self, json: &Value) -> Option<String> {
        let mistakes = explain(&self.schema, &json.to_string());
        let missing = mistakes.iter().filter(|mistake| mistake.is_missing());
        let missing: Vec<String> = missing
            .map(|mistake| {
                let path = mistake.path.replace('/', ".");
                format!("`{}{path}`", self.section.name())
            })
            .collect();
        (!missing.is_empty())
            .then(|| format!("set {} in `{}`", missing.join(" and "), user_file_text()))
    }

    /// Describes why the type does not take the value. An error that a secret may be part of is not quoted.
    fn describe_error(&self, config: &Config, error: &serde_json::Error) -> String {
        let shown = config.section_without_secrets(self.section.name());
        let shown = shown.map(|json| self.section.read(&json));
        match shown {
            Ok(Err(same)) if same.to_string() == error.to_string() => error.to_string(),
            _ => "a secret is not what it should be".to_owned(),
        }
    }
}

/// Says that a project sets something of the section that is not in force.
fn unaccepted_hint(section: &str, config: &Config) -> String {
    let unaccepted = config.unaccepted();
    let unaccepted = unaccepted.filter(|settings| settings.has_table(section));
    unaccepted.map_or_else(String::new, |settings| {
        let path = display_path(settings.path());
        format!(", or accept `{path}` with `permissions trust`")
    })
}
