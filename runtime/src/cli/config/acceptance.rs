//! A project's file, and whether the user has accepted it.

use std::fmt;
use std::path::{Path, PathBuf};

use super::error::ConfigError;
use super::file;
use super::layer::{self, Layer};
use super::place::Place;
use crate::acceptances::{
    AcceptanceError, AcceptanceKind, AcceptanceState, Acceptances, Content, Difference, EntryKind,
    Subject, digest_of_fields,
};
use crate::cli::acceptance;

/// The file of a project.
#[derive(Debug)]
pub(in crate::cli) struct ProjectFile {
    path: PathBuf,
    text: Option<String>,
}

/// What a project's file says that is not in force, since the user has not accepted it.
#[derive(Debug)]
pub(in crate::cli) struct Unaccepted {
    path: PathBuf,
    places: Vec<Place>,
    state: AcceptanceState,
}

impl ProjectFile {
    /// Reads the file of the project around a folder.
    pub(in crate::cli) fn of(folder: &Path) -> Result<Self, ConfigError> {
        let path = file::of_project(folder);
        let text = file::read(&path)?;
        Ok(Self { path, text })
    }

    /// Returns where the file of the project around a folder is, or would be.
    #[cfg(feature = "mcp")]
    pub(in crate::cli) fn path_in(folder: &Path) -> PathBuf {
        file::of_project(folder)
    }

    pub(in crate::cli) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn is_there(&self) -> bool {
        self.text.is_some()
    }

    fn layer(&self) -> Layer {
        let text = self.text.as_deref();
        text.map(|text| file::parse(&self.path, text))
            .unwrap_or_default()
    }

    /// Returns what of it is in force, and what is not.
    pub(super) fn in_force(&self) -> Result<(Layer, Option<Unaccepted>), ConfigError> {
        let mut layer = self.layer();
        let places = file::sensitive(&layer);
        if places.is_empty() {
            return Ok((layer, None));
        }
        let content = self.content(&layer, &places);
        let state = acceptance::user_store().state(self.subject(), &content)?;
        if state == AcceptanceState::Accepted {
            return Ok((layer, None));
        }
        for place in &places {
            layer.entries.remove(place);
        }
        let unaccepted = Unaccepted {
            path: self.path.clone(),
            places,
            state,
        };
        Ok((layer, Some(unaccepted)))
    }

    /// Compares what the file says with what the user accepted; `None` where nothing of it needs that. A file with
    /// mistakes is an error: nobody knows what it says.
    pub(in crate::cli) fn difference(
        &self,
        acceptances: &Acceptances,
    ) -> Result<Option<Difference>, ConfigError> {
        let layer = self.layer();
        if !layer.mistakes.is_empty() {
            return Err(ConfigError::Mistakes(layer.mistakes));
        }
        let places = file::sensitive(&layer);
        if places.is_empty() {
            return Ok(None);
        }
        let content = self.content(&layer, &places);
        let difference = acceptances.read()?.difference(self.subject()?, content);
        Ok(Some(difference))
    }

    /// Names the file.
    pub(in crate::cli) fn subject(&self) -> Result<Subject, AcceptanceError> {
        Subject::file(AcceptanceKind::SettingsFile, &self.path, 1)
    }

    /// Takes down the file, with the settings that need an acceptance.
    fn content(&self, layer: &Layer, places: &[Place]) -> Content {
        let entries = places.iter().filter_map(|place| {
            let said = layer.entries.get(place)?;
            Some(said.to_accepted(place))
        });
        let text = self.text.as_deref().unwrap_or_default();
        Content::from_bytes(text.as_bytes(), entries)
    }
}

impl layer::Entry {
    /// Makes the entry of an acceptance: its text shows no secret, and its digest is that of the value.
    fn to_accepted(&self, place: &Place) -> crate::acceptances::Entry {
        let shown = self.shown();
        let entry =
            crate::acceptances::Entry::with_text(EntryKind::Setting, place.to_string(), &shown);
        match self.texts() {
            [] => entry,
            texts => entry.digest(digest_of_fields(texts.iter().map(String::as_str))),
        }
    }
}

impl fmt::Display for Unaccepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places: Vec<String> = self
            .places
            .iter()
            .map(|place| format!("`{place}`"))
            .collect();
        let (path, places, why) = (self.path.display(), places.join(", "), self.state);
        write!(
            f,
            "what `{path}` says of {places} is not in force, since {why}"
        )
    }
}
