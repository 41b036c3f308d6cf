//! The settings of tools in a pack: a section of a settings file, deserialised as a type.

use std::any::{Any, TypeId, type_name};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::schema::{self, CanonicalSchema};
use crate::tool::{State, ToolContext};

/// A section of the settings that a pack declares: `[weather]` of a `helve.toml`, deserialised as a type.
///
/// [`Toolset::settings`](crate::Toolset::settings) creates it, and [`Tool::settings`](crate::tool::Tool::settings)
/// returns it. The command line reads the section and adds the value to the state of the app.
#[derive(Clone)]
pub struct SettingsSection {
    name: Cow<'static, str>,
    location: &'static Location<'static>,
    value: SettingsType,
}

#[derive(Clone, Copy)]
struct SettingsType {
    id: fn() -> TypeId,
    name: fn() -> &'static str,
    schema: fn(&mut SchemaGenerator) -> Schema,
    read: fn(&Value) -> serde_json::Result<SettingsValue>,
    reserve: fn(&mut State),
    is_in_context: fn(&ToolContext) -> bool,
}

/// The value of a section, which can be added to the state of an app.
pub struct SettingsValue(Box<dyn FnOnce(&mut State) + Send>);

impl SettingsSection {
    #[track_caller]
    pub(crate) fn new<T>(name: Cow<'static, str>) -> Self
    where
        T: DeserializeOwned + JsonSchema + Any + Send + Sync,
    {
        let value = SettingsType {
            id: TypeId::of::<T>,
            name: type_name::<T>,
            schema: SchemaGenerator::subschema_for::<T>,
            read: |json| {
                let value = T::deserialize(json)?;
                Ok(SettingsValue(Box::new(|state| state.insert(value))))
            },
            reserve: |state| state.insert_with(|| Err::<T, _>("the settings were not read")),
            is_in_context: |context| context.state::<T>().is_some(),
        };
        Self {
            name,
            location: Location::caller(),
            value,
        }
    }

    /// Returns the name of the section.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the id of the type that tools take by reference.
    #[must_use]
    pub fn value_type_id(&self) -> TypeId {
        (self.value.id)()
    }

    /// Returns the name of the type that tools take by reference.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        (self.value.name)()
    }

    /// Returns the source location of the declaration, as `file:line`.
    #[must_use]
    pub fn location(&self) -> String {
        format!("{}:{}", self.location.file(), self.location.line())
    }

    /// Returns the schema of the section; `None` if the type is not deserialised from a table.
    #[must_use]
    pub fn schema(&self) -> Option<CanonicalSchema> {
        schema::object_schema(self.value.schema)
    }

    /// Deserialises the value of the section.
    ///
    /// # Errors
    ///
    /// If deserialising fails; the error may quote a part of the value.
    pub fn read(&self, json: &Value) -> serde_json::Result<SettingsValue> {
        (self.value.read)(json)
    }

    /// Adds an entry for the type to a state that is only used to check which types it contains.
    pub fn reserve(&self, state: &mut State) {
        (self.value.reserve)(state);
    }

    pub(crate) fn is_in(&self, context: &ToolContext) -> bool {
        let id = self.value_type_id();
        // A look-up would create lazy state.
        context.app_state().contains(id)
            || context.session_state().contains(id)
            || (self.value.is_in_context)(context)
    }
}

impl SettingsValue {
    /// Adds the value to a state.
    pub fn insert_into(self, state: &mut State) {
        (self.0)(state);
    }
}

/// Two sections are equal if one declaration made both.
impl PartialEq for SettingsSection {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.location == other.location
            && self.value_type_id() == other.value_type_id()
    }
}

impl Eq for SettingsSection {}

impl fmt::Debug for SettingsSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SettingsSection")
            .field("name", &self.name)
            .field("type_name", &self.type_name())
            .field("location", &self.location())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for SettingsValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SettingsValue")
    }
}

/// The sections without a value, with what to set.
///
/// The tools of a section find it in the state of the app, and report what to set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnconfiguredSettings(BTreeMap<String, String>);

impl UnconfiguredSettings {
    /// Adds a section with what to set.
    pub fn insert(&mut self, section: impl Into<String>, hint: impl Into<String>) {
        self.0.insert(section.into(), hint.into());
    }

    /// Returns what to set for a section.
    #[must_use]
    pub fn hint(&self, section: &str) -> Option<&str> {
        self.0.get(section).map(String::as_str)
    }
}
