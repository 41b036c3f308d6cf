//! What a bundle contains, as the user reads and accepts it.

use helve_core::support::hex;
use helve_permission::acceptances::{
    AcceptanceContent, AcceptanceError, AcceptanceKind, AcceptanceSubject, Acceptances,
    ContentEntry, Difference, EntryKind,
};
use helve_skill::SkillDigest;
use helve_skill::scan::{Severity, scan};
use serde_json::Value;

use super::manifest::{BundleManifest, MANIFEST, Part};
use crate::error::InstallError;
use crate::fetch::Revision;
use crate::source::InstallSource;
use crate::tree::{SKILL_MD, SkillTree};

/// A bundle that was fetched, in memory.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FetchedBundle {
    /// The manifest.
    pub manifest: BundleManifest,
    /// The source, as it was asked for.
    pub source: String,
    /// Where the content was.
    pub revision: Revision,
    pub(crate) tree: SkillTree,
}

impl FetchedBundle {
    /// Reads the bundle that is in a tree of files.
    pub(crate) fn new(
        source: &InstallSource,
        revision: Revision,
        tree: SkillTree,
    ) -> Result<Self, InstallError> {
        let manifest = tree.get(MANIFEST).ok_or_else(|| {
            let reason = format!("it has no `{MANIFEST}`, which makes a folder a bundle");
            InstallError::refused(format!("`{source}`"), reason)
        })?;
        Ok(Self {
            manifest: BundleManifest::parse(&manifest.bytes)?,
            source: source.to_string(),
            revision,
            tree,
        })
    }

    /// Returns the digest of all files.
    #[must_use]
    pub fn digest(&self) -> SkillDigest {
        self.tree.digest(&self.manifest.name)
    }

    /// Returns the number of severe findings of the scan.
    #[must_use]
    pub fn severe_findings(&self) -> usize {
        let files = self.texts();
        let findings = files.flat_map(|(path, text)| scan(path, text));
        findings
            .filter(|finding| finding.severity == Severity::Red)
            .count()
    }

    /// Compares the bundle with what the user has accepted of it.
    ///
    /// # Errors
    /// When the acceptances cannot be read.
    pub fn difference(&self, acceptances: &Acceptances) -> Result<Difference, AcceptanceError> {
        let subject = subject(&self.manifest.name, &self.source);
        let content = AcceptanceContent::with_digest(self.digest().to_string(), self.entries());
        Ok(acceptances.read()?.difference(subject, content))
    }

    /// Lists what the bundle contains: its parts by what they are, and then its other files.
    fn entries(&self) -> Vec<ContentEntry> {
        let mut entries = Vec::new();
        for (path, file) in self.tree.files() {
            let kind = self.kind(path, &file.bytes);
            match (kind, str::from_utf8(&file.bytes)) {
                (None, _) => {}
                (Some(kind), Ok(text)) => entries.push(ContentEntry::with_text(kind, path, text)),
                (Some(kind), Err(_)) => {
                    let digest = hex::encode(&file.sha256);
                    entries.push(ContentEntry::from_name(kind, path).digest(digest));
                }
            }
        }
        for (name, text) in self.hooks() {
            entries.push(ContentEntry::with_text(EntryKind::Hook, name, &text));
        }
        for (name, text) in self.servers() {
            entries.push(ContentEntry::with_text(EntryKind::Server, name, &text));
        }
        let findings = self.texts().flat_map(|(path, text)| scan(path, text));
        entries.extend(
            findings.map(|found| ContentEntry::from_name(EntryKind::Finding, found.to_string())),
        );
        entries
    }

    /// Returns what a file is; `None` if its content is shown as hooks and servers, which are read from JSON alone: what is
    /// none, such as a text with a byte order mark, is shown as a file.
    fn kind(&self, path: &str, bytes: &[u8]) -> Option<EntryKind> {
        let manifest = &self.manifest;
        let is_part = |part: &Part| matches!(part, Part::File(file) if file == path);
        let is_part = manifest.hooks.iter().chain(&manifest.servers).any(is_part);
        if path == MANIFEST || is_part && serde_json::from_slice::<Value>(bytes).is_ok() {
            None
        } else if is_skill(path, &manifest.skills) {
            Some(EntryKind::Skill)
        } else if is_definition(path, &manifest.agents) {
            Some(EntryKind::Agent)
        } else if is_definition(path, &manifest.commands) {
            Some(EntryKind::Command)
        } else {
            Some(EntryKind::File)
        }
    }

    fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.tree.files();
        files.filter_map(|(path, file)| Some((path, str::from_utf8(&file.bytes).ok()?)))
    }

    /// Lists the commands of the hooks, by their events.
    fn hooks(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for value in self.values(&self.manifest.hooks) {
            let events = value.get("hooks").unwrap_or(&value).as_object();
            for (event, groups) in events.into_iter().flatten() {
                for group in groups.as_array().into_iter().flatten() {
                    let handlers = group["hooks"].as_array();
                    for handler in handlers.into_iter().flatten() {
                        let name = match group["matcher"].as_str() {
                            Some(matcher) if !matcher.is_empty() => format!("{event} {matcher}"),
                            _ => event.clone(),
                        };
                        found.push((format!("{name} #{}", found.len() + 1), handler.to_string()));
                    }
                }
            }
        }
        found
    }

    fn servers(&self) -> Vec<(String, String)> {
        let values = self.values(&self.manifest.servers).into_iter();
        let named = values.flat_map(|value| {
            let servers = value
                .get("mcpServers")
                .unwrap_or(&value)
                .as_object()
                .cloned();
            servers.into_iter().flatten()
        });
        named
            .map(|(name, server)| (name, server.to_string()))
            .collect()
    }

    /// Returns the settings of parts; a file that is no JSON is shown as a file.
    fn values(&self, parts: &[Part]) -> Vec<Value> {
        let read = parts.iter().filter_map(|part| match part {
            Part::Inline(value) => Some(value.clone()),
            Part::File(path) => {
                let file = self.tree.get(path)?;
                serde_json::from_slice(&file.bytes).ok()
            }
        });
        read.collect()
    }
}

/// Names a bundle for the acceptances of the user.
pub(super) fn subject(name: &str, source: &str) -> AcceptanceSubject {
    AcceptanceSubject::new(AcceptanceKind::Bundle, name, source)
}

fn is_skill(path: &str, folders: &[String]) -> bool {
    let below = folders.iter().filter_map(|folder| below(path, folder));
    let mut names = below.map(|rest| rest.split('/').collect::<Vec<_>>());
    names.any(|names| matches!(names[..], [_, SKILL_MD]))
}

/// Reports whether a path is a Markdown file that these paths name, or below a folder that they name.
fn is_definition(path: &str, named: &[String]) -> bool {
    path.ends_with(".md")
        && named
            .iter()
            .any(|one| path == one || below(path, one).is_some())
}

fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}
