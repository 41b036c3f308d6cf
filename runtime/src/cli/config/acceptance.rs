//! A project's file, and whether the user has accepted it.

use std::fmt;
use std::path::{Path, PathBuf};

use super::error::ConfigError;
use super::file;
use super::layer::Layer;
use super::place::Place;
use crate::permission::{Acceptance, RuleFileError, Trust};

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
    has_changed: bool,
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
        let acceptance = match Trust::of_user() {
            Some(trust) => trust.acceptance(&self.path, self.content())?,
            None => Acceptance::Missing,
        };
        if acceptance == Acceptance::Given {
            return Ok((layer, None));
        }
        for place in &places {
            layer.entries.remove(place);
        }
        let unaccepted = Unaccepted {
            path: self.path.clone(),
            places,
            has_changed: acceptance == Acceptance::Outdated,
        };
        Ok((layer, Some(unaccepted)))
    }

    /// Accepts what the file says, and returns what of it has to be accepted, each with what it says; where that is
    /// nothing, nothing is accepted. A file with mistakes is not accepted either: nobody knows what it says.
    pub(in crate::cli) fn accept(&self) -> Result<Vec<(Place, String)>, ConfigError> {
        let layer = self.layer();
        if !layer.mistakes.is_empty() {
            return Err(ConfigError::Mistakes(layer.mistakes));
        }
        let places = file::sensitive(&layer);
        if !places.is_empty() {
            self.trust()?.accept(&self.path, self.content())?;
        }
        let said = places.into_iter().filter_map(|place| {
            let said = layer.entries.get(&place)?.shown();
            Some((place, said))
        });
        Ok(said.collect())
    }

    /// Takes back that it was accepted, and reports whether it was.
    pub(in crate::cli) fn forget(&self) -> Result<bool, ConfigError> {
        match Trust::of_user() {
            Some(trust) if self.path.parent().is_some_and(Path::exists) => {
                Ok(trust.forget(&self.path)?)
            }
            _ => Ok(false),
        }
    }

    fn trust(&self) -> Result<Trust, RuleFileError> {
        Trust::of_user().ok_or_else(|| RuleFileError::NoTrust {
            path: self.path.clone(),
            why: "you have no folder of configurations",
        })
    }

    fn content(&self) -> &[u8] {
        self.text.as_deref().unwrap_or_default().as_bytes()
    }
}

impl fmt::Display for Unaccepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = if self.has_changed {
            "it has changed since you accepted it"
        } else {
            "you have not accepted it"
        };
        let places: Vec<String> = self
            .places
            .iter()
            .map(|place| format!("`{place}`"))
            .collect();
        let (path, places) = (self.path.display(), places.join(", "));
        write!(
            f,
            "what `{path}` says of {places} is not in force, since {why}"
        )
    }
}
