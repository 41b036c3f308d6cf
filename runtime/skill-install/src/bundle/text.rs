//! The settings of a bundle: files of it, and parts of its manifest.

use std::path::{Path, PathBuf};

use super::manifest::{BundleManifest, MANIFEST, Part};
use crate::error::InstallError;

/// The variable that stands for the folder of a bundle in its hooks and servers.
pub(super) const ROOT: &str = "${CLAUDE_PLUGIN_ROOT}";

/// A settings file of a bundle, or the part of its manifest that stands for one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BundleText {
    /// The file that has the text.
    pub path: PathBuf,
    /// The text, in which the folder of an installed bundle is written out.
    pub text: String,
}

impl BundleManifest {
    /// Reads the settings of the hooks of the bundle in a folder.
    pub(super) fn hook_texts(
        &self,
        root: &Path,
        read: impl Fn(&str) -> Result<Option<String>, InstallError>,
    ) -> Result<Vec<BundleText>, InstallError> {
        texts(&self.hooks, "hooks", root, read)
    }

    /// Reads the settings of the MCP servers of the bundle in a folder.
    pub(super) fn server_texts(
        &self,
        root: &Path,
        read: impl Fn(&str) -> Result<Option<String>, InstallError>,
    ) -> Result<Vec<BundleText>, InstallError> {
        texts(&self.servers, "mcpServers", root, read)
    }
}

fn texts(
    parts: &[Part],
    key: &str,
    root: &Path,
    read: impl Fn(&str) -> Result<Option<String>, InstallError>,
) -> Result<Vec<BundleText>, InstallError> {
    let mut texts = Vec::new();
    for part in parts {
        let (path, text) = match part {
            Part::Inline(value) => {
                let named = match value.get(key) {
                    Some(_) => value.clone(),
                    None => serde_json::json!({ key: value }),
                };
                (MANIFEST, named.to_string())
            }
            Part::File(path) => match read(path)? {
                Some(text) => (path.as_str(), text),
                None => continue,
            },
        };
        let text = text.replace(ROOT, &in_json(root));
        let path = root.join(path);
        texts.push(BundleText { path, text });
    }
    Ok(texts)
}

/// Writes a path as a part of a text of JSON.
fn in_json(path: &Path) -> String {
    let quoted = serde_json::Value::from(path.display().to_string()).to_string();
    quoted.trim_matches('"').to_owned()
}
