//! A bundle that is installed.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::manifest::{BundleManifest, MANIFEST};
use super::text::BundleText;
use crate::error::InstallError;

/// An installed bundle.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InstalledBundle {
    /// The manifest.
    pub manifest: BundleManifest,
    /// The source, as it was asked for.
    pub source: String,
    /// The commit that was installed, if the source is a repository.
    pub commit: Option<String>,
    /// The digest of the files.
    pub digest: String,
    /// The folder of the bundle.
    pub root: PathBuf,
}

/// An installed bundle, as the list of bundles has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BundleRecord {
    pub(super) name: String,
    pub(super) source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) commit: Option<String>,
    pub(super) digest: String,
}

impl InstalledBundle {
    pub(super) fn read(record: BundleRecord, root: PathBuf) -> Result<Self, InstallError> {
        let path = root.join(MANIFEST);
        let text = fs::read(&path).map_err(InstallError::io("read", &path))?;
        let manifest = BundleManifest::parse(&text)?;
        if manifest.name != record.name {
            return Err(InstallError::refused(
                format!("`{}`", path.display()),
                "it has another name",
            ));
        }
        Ok(Self {
            manifest,
            source: record.source,
            commit: record.commit,
            digest: record.digest,
            root,
        })
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// Returns the folders whose folders are skills.
    pub fn skill_folders(&self) -> impl Iterator<Item = PathBuf> {
        self.existing(&self.manifest.skills)
    }

    /// Returns the folders and files of agents.
    pub fn agent_paths(&self) -> impl Iterator<Item = PathBuf> {
        self.existing(&self.manifest.agents)
    }

    /// Returns the folders and files of commands.
    pub fn command_paths(&self) -> impl Iterator<Item = PathBuf> {
        self.existing(&self.manifest.commands)
    }

    /// Reads the settings of the hooks.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn hooks(&self) -> Result<Vec<BundleText>, InstallError> {
        self.manifest.hook_texts(&self.root, |path| self.text(path))
    }

    /// Reads the settings of the MCP servers.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn servers(&self) -> Result<Vec<BundleText>, InstallError> {
        self.manifest
            .server_texts(&self.root, |path| self.text(path))
    }

    fn existing(&self, paths: &[String]) -> impl Iterator<Item = PathBuf> {
        let paths: Vec<_> = paths.iter().map(|path| self.root.join(path)).collect();
        paths.into_iter().filter(|path| path.exists())
    }

    /// Reads a file of the bundle; `None` if there is no such file.
    fn text(&self, path: &str) -> Result<Option<String>, InstallError> {
        let path = self.root.join(path);
        if !path.is_file() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).map_err(InstallError::io("read", &path))?;
        Ok(Some(text))
    }
}
