//! A project's file, and whether the user has accepted it.

use std::fmt;
use std::path::{Path, PathBuf};

use super::error::ConfigError;
use super::file;
use super::key_set::KeySet;
use super::layer::{self, ConfigLayer};
use super::location::KeyPath;
use super::value_kind::SettingValue;
use helve_permission::acceptances::{
    AcceptanceContent, AcceptanceError, AcceptanceKind, AcceptanceState, AcceptanceSubject,
    Acceptances, ContentEntry, Difference, EntryKind, digest_of_fields,
};

/// The settings file of a project.
#[derive(Debug)]
pub struct ProjectFile {
    path: PathBuf,
    text: Option<String>,
    keys: KeySet,
}

/// The settings of a project file that are not in force, since the user has not accepted them.
#[derive(Debug)]
pub struct UnacceptedSettings {
    path: PathBuf,
    keys: Vec<KeyPath>,
    state: AcceptanceState,
}

impl ProjectFile {
    /// Reads the file of the project around a folder.
    pub fn read(folder: &Path, keys: &KeySet) -> Result<Self, ConfigError> {
        let path = file::project_path(folder);
        let text = file::read(&path)?;
        Ok(Self {
            path,
            text,
            keys: keys.clone(),
        })
    }

    /// Returns where the file of the project around a folder is, or would be.
    pub fn find_path(folder: &Path) -> PathBuf {
        file::project_path(folder)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reports whether the file exists.
    pub fn exists(&self) -> bool {
        self.text.is_some()
    }

    fn layer(&self) -> ConfigLayer {
        let text = self.text.as_deref();
        text.map(|text| file::parse(&self.keys, &self.path, text))
            .unwrap_or_default()
    }

    /// Returns what of it is in force and what is not, and whether the user has accepted the file.
    pub fn effective_layer(
        &self,
    ) -> Result<(ConfigLayer, Option<UnacceptedSettings>, bool), ConfigError> {
        let mut layer = self.layer();
        let places = file::sensitive_keys(&layer);
        if places.is_empty() {
            return Ok((layer, None, false));
        }
        let content = self.acceptance_content(&layer, &places);
        let state = Acceptances::for_user()
            .unwrap_or_default()
            .state(self.subject(), &content)?;
        if state == AcceptanceState::Accepted {
            return Ok((layer, None, true));
        }
        for place in &places {
            layer.entries.remove(place);
        }
        let unaccepted = UnacceptedSettings {
            path: self.path.clone(),
            keys: places,
            state,
        };
        Ok((layer, Some(unaccepted), false))
    }

    /// Compares the file with the accepted one; `None` if the file needs no acceptance. An invalid file is an error,
    /// since its meaning is unknown.
    pub fn difference(&self, acceptances: &Acceptances) -> Result<Option<Difference>, ConfigError> {
        let layer = self.layer();
        if !layer.diagnostics.is_empty() {
            return Err(ConfigError::Invalid(layer.diagnostics));
        }
        let places = file::sensitive_keys(&layer);
        if places.is_empty() {
            return Ok(None);
        }
        let content = self.acceptance_content(&layer, &places);
        let difference = acceptances.read()?.difference(self.subject()?, content);
        Ok(Some(difference))
    }

    /// Returns the subject of the acceptance of the file.
    pub fn subject(&self) -> Result<AcceptanceSubject, AcceptanceError> {
        AcceptanceSubject::from_file(AcceptanceKind::SettingsFile, &self.path, 1)
    }

    /// Returns the content of an acceptance: the file and the settings that need the acceptance.
    fn acceptance_content(&self, layer: &ConfigLayer, places: &[KeyPath]) -> AcceptanceContent {
        let entries = places.iter().filter_map(|place| {
            let said = layer.entries.get(place)?;
            Some(said.to_acceptance_entry(place))
        });
        // An acceptance is of the file, for all apps: also for those that read the sections that this one does not.
        let foreign = layer.foreign_sections.iter().map(|section| {
            let (name, text) = (section.name.to_string(), section.render_value());
            ContentEntry::with_text(EntryKind::Setting, name, &text)
        });
        let text = self.text.as_deref().unwrap_or_default();
        AcceptanceContent::from_bytes(text.as_bytes(), entries.chain(foreign))
    }
}

impl UnacceptedSettings {
    /// Reports whether something of a table is among them.
    pub fn has_table(&self, name: &str) -> bool {
        let mut keys = self.keys.iter();
        keys.any(|key| key.segments().next() == Some(name))
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl layer::ConfigEntry {
    /// Creates the entry of an acceptance: its text shows no secret, and its digest is the digest of the value.
    fn to_acceptance_entry(&self, place: &KeyPath) -> ContentEntry {
        let shown = self.render_value();
        let entry = ContentEntry::with_text(EntryKind::Setting, place.to_string(), &shown);
        if let SettingValue::Json(value) = &self.value {
            return entry.digest(digest_of_fields([&*value.to_string()]));
        }
        match &self.texts()[..] {
            [] => entry,
            texts => entry.digest(digest_of_fields(texts.iter().copied())),
        }
    }
}

impl fmt::Display for UnacceptedSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places: Vec<String> = self.keys.iter().map(|place| format!("`{place}`")).collect();
        let (path, places, why) = (self.path.display(), places.join(", "), self.state);
        write!(f, "ignoring {places} of `{path}`: {why}")
    }
}
