//! The manifest of a bundle.

use serde::Deserialize;
use serde_json::Value;

use crate::error::{InstallError, shown};
use crate::tree::check_path;

/// The path of the manifest.
pub(crate) const MANIFEST: &str = ".claude-plugin/plugin.json";

/// The greatest length of a name.
const MAX_NAME: usize = 64;

/// The manifest of a bundle: its name, and where its parts are.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BundleManifest {
    /// The name: lowercase letters, digits and single hyphens.
    pub name: String,
    /// The version, in the words of the author.
    pub version: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// The folders of skills.
    pub(crate) skills: Vec<String>,
    /// The folders and files of agents.
    pub(crate) agents: Vec<String>,
    /// The folders and files of commands.
    pub(crate) commands: Vec<String>,
    pub(crate) hooks: Vec<Part>,
    pub(crate) servers: Vec<Part>,
}

/// Settings of a bundle: a file of it, or an object of the manifest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    File(String),
    Inline(Value),
}

/// The manifest as it is written. Other fields, such as the author, are passed over.
#[derive(Deserialize)]
struct ManifestDocument {
    name: String,
    version: Option<String>,
    description: Option<String>,
    skills: Option<Paths>,
    agents: Option<Paths>,
    commands: Option<Paths>,
    hooks: Option<Value>,
    #[serde(rename = "mcpServers")]
    servers: Option<Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Paths {
    One(String),
    Many(Vec<String>),
}

impl BundleManifest {
    /// Parses a manifest. Paths of the manifest are added to the usual ones.
    ///
    /// # Errors
    /// When it is no JSON of this form, or a name or a path is not valid.
    pub fn parse(text: &[u8]) -> Result<Self, InstallError> {
        let document: ManifestDocument =
            serde_json::from_slice(text).map_err(|error| refused(error.to_string()))?;
        if !is_name(&document.name) {
            return Err(refused(format!(
                "`{}` is no name: use lowercase letters, digits and single hyphens, 64 characters at most",
                shown(&document.name)
            )));
        }
        Ok(Self {
            name: document.name,
            version: document.version,
            description: document.description,
            skills: paths("skills", document.skills)?,
            agents: paths("agents", document.agents)?,
            commands: paths("commands", document.commands)?,
            hooks: parts("hooks/hooks.json", document.hooks)?,
            servers: parts(".mcp.json", document.servers)?,
        })
    }
}

/// Returns the usual path and those of the manifest, without `./`.
fn paths(usual: &str, named: Option<Paths>) -> Result<Vec<String>, InstallError> {
    let named = match named {
        None => Vec::new(),
        Some(Paths::One(path)) => vec![path],
        Some(Paths::Many(paths)) => paths,
    };
    let mut all = vec![usual.to_owned()];
    for path in named {
        let path = inside(&path)?;
        if !all.contains(&path) {
            all.push(path);
        }
    }
    Ok(all)
}

/// Returns the usual file and that of the manifest, or its object.
fn parts(usual: &str, named: Option<Value>) -> Result<Vec<Part>, InstallError> {
    let mut all = vec![Part::File(usual.to_owned())];
    match named {
        None => {}
        Some(Value::String(path)) => {
            let part = Part::File(inside(&path)?);
            if !all.contains(&part) {
                all.push(part);
            }
        }
        Some(object @ Value::Object(_)) => all.push(Part::Inline(object)),
        Some(_) => return Err(refused("`hooks` and `mcpServers` are paths or objects")),
    }
    Ok(all)
}

/// Checks that a path stays in the bundle.
fn inside(path: &str) -> Result<String, InstallError> {
    let relative = path.strip_prefix("./").unwrap_or(path);
    let relative = relative.trim_end_matches('/');
    match check_path(relative) {
        Ok(()) => Ok(relative.to_owned()),
        Err(reason) => Err(refused(format!("the path `{}`: {reason}", shown(path)))),
    }
}

fn is_name(name: &str) -> bool {
    let is_word = |word: &str| {
        let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        !word.is_empty() && word.chars().all(is_letter)
    };
    name.len() <= MAX_NAME && name.split('-').all(is_word)
}

fn refused(reason: impl Into<String>) -> InstallError {
    InstallError::refused(format!("the manifest `{MANIFEST}`"), reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_adds_paths_and_leads_nowhere_else() {
        let read = |text: &str| BundleManifest::parse(text.as_bytes());
        let manifest = read(
            r#"{"name": "release-kit", "author": {"name": "A"}, "commands": ["./more/", "commands"], "hooks": "./config/hooks.json", "mcpServers": {"db": {"command": "db"}}}"#,
        );
        let manifest = manifest.expect("a manifest");
        assert_eq!(manifest.commands, ["commands", "more"]);
        assert_eq!(manifest.agents, ["agents"]);
        let files = ["hooks/hooks.json", "config/hooks.json"];
        assert_eq!(
            manifest.hooks,
            files.map(|file| Part::File(file.to_owned()))
        );
        assert_eq!(manifest.servers.len(), 2);
        for (text, reason) in [
            ("{}", "missing field `name`"),
            (r#"{"name": "../up"}"#, "is no name"),
            (r#"{"name": "a--b"}"#, "is no name"),
            (r#"{"name": "a", "agents": "../../.ssh"}"#, "the path"),
            (r#"{"name": "a", "agents": "/etc"}"#, "the path"),
            (r#"{"name": "a", "hooks": 1}"#, "are paths or objects"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
