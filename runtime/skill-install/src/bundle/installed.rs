//! A bundle that is installed.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::manifest::{BundleManifest, MANIFEST, Part};
use crate::error::InstallError;

/// The variable that stands for the folder of a bundle in its hooks and servers.
const ROOT: &str = "${CLAUDE_PLUGIN_ROOT}";

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

/// A settings file of a bundle, or the part of its manifest that stands for one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BundleText {
    /// The file that has the text.
    pub path: PathBuf,
    /// The text, in which the folder of the bundle is written out.
    pub text: String,
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
        Ok(Self {
            manifest: BundleManifest::parse(&text)?,
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
        self.texts(&self.manifest.hooks, "hooks")
    }

    /// Reads the settings of the MCP servers.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn servers(&self) -> Result<Vec<BundleText>, InstallError> {
        self.texts(&self.manifest.servers, "mcpServers")
    }

    fn existing(&self, paths: &[String]) -> impl Iterator<Item = PathBuf> {
        let paths: Vec<_> = paths.iter().map(|path| self.root.join(path)).collect();
        paths.into_iter().filter(|path| path.exists())
    }

    fn texts(&self, parts: &[Part], key: &str) -> Result<Vec<BundleText>, InstallError> {
        let mut texts = Vec::new();
        for part in parts {
            let (path, text) = match part {
                Part::Inline(value) => {
                    let named = match value.get(key) {
                        Some(_) => value.clone(),
                        None => serde_json::json!({ key: value }),
                    };
                    (self.root.join(MANIFEST), named.to_string())
                }
                Part::File(path) => {
                    let path = self.root.join(path);
                    if !path.is_file() {
                        continue;
                    }
                    let text =
                        fs::read_to_string(&path).map_err(InstallError::io("read", &path))?;
                    (path, text)
                }
            };
            let text = text.replace(ROOT, &in_json(&self.root));
            texts.push(BundleText { path, text });
        }
        Ok(texts)
    }
}

/// Writes a path as a part of a text of JSON.
fn in_json(path: &Path) -> String {
    let quoted = serde_json::Value::from(path.display().to_string()).to_string();
    quoted.trim_matches('"').to_owned()
}
