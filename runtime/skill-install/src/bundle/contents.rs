//! What a bundle contains, as the user reads and accepts it.

use std::collections::BTreeSet;
use std::path::Path;

use helve_permission::acceptances::{
    AcceptanceContent, AcceptanceError, AcceptanceKind, AcceptanceSubject, Acceptances,
    ContentEntry, Difference, EntryKind,
};
use helve_skill::SkillDigest;
use helve_skill::scan::{Severity, scan};
use serde_json::{Map, Value};

use super::manifest::{BundleManifest, MANIFEST, Part};
use super::text::{BundleText, ROOT};
use crate::error::{InstallError, shown};
use crate::fetch::Revision;
use crate::review::file_entry;
use crate::source::InstallSource;
use crate::tree::{SKILL_MD, SkillTree};

/// The greatest size of the manifest and of each file of settings, in bytes: a review shows texts up to this size.
const MAX_SETTINGS_BYTES: usize = 32 << 10;

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
        let bundle = Self {
            manifest: BundleManifest::parse(&manifest.bytes)?,
            source: source.to_string(),
            revision,
            tree,
        };
        bundle.check()?;
        Ok(bundle)
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

    /// Reads the settings of the hooks, as they are written.
    ///
    /// # Errors
    /// When a file is not UTF-8.
    pub fn hooks(&self) -> Result<Vec<BundleText>, InstallError> {
        self.manifest
            .hook_texts(Path::new(ROOT), |path| self.text(path))
    }

    /// Reads the settings of the MCP servers, as they are written.
    ///
    /// # Errors
    /// When a file is not UTF-8.
    pub fn servers(&self) -> Result<Vec<BundleText>, InstallError> {
        self.manifest
            .server_texts(Path::new(ROOT), |path| self.text(path))
    }

    /// Refuses settings that a review cannot show whole, and two servers of one name.
    fn check(&self) -> Result<(), InstallError> {
        let refused = |path: &str, reason: String| {
            let path = shown(path);
            Err(InstallError::refused(format!("the file `{path}`"), reason))
        };
        let parts = self.manifest.hooks.iter().chain(&self.manifest.servers);
        let files = parts.filter_map(|part| match part {
            Part::File(path) => Some(path.as_str()),
            Part::Inline(_) => None,
        });
        for path in files.chain([MANIFEST]) {
            let size = self.tree.get(path).map_or(0, |file| file.bytes.len());
            if size > MAX_SETTINGS_BYTES {
                let limit = MAX_SETTINGS_BYTES >> 10;
                return refused(path, format!("settings have at most {limit} KiB"));
            }
        }
        let mut names = BTreeSet::new();
        for text in self.servers()? {
            let parsed: Value = serde_json::from_str(&text.text).unwrap_or_default();
            for name in parsed["mcpServers"]
                .as_object()
                .into_iter()
                .flat_map(Map::keys)
            {
                if !names.insert(name.clone()) {
                    let name = shown(name);
                    let reason = format!("the server `{name}` is there twice");
                    return Err(InstallError::refused("the bundle", reason));
                }
            }
        }
        Ok(())
    }

    /// Returns the text of a file; `None` if there is no such file.
    fn text(&self, path: &str) -> Result<Option<String>, InstallError> {
        let Some(file) = self.tree.get(path) else {
            return Ok(None);
        };
        match str::from_utf8(&file.bytes) {
            Ok(text) => Ok(Some(text.to_owned())),
            Err(_) => Err(InstallError::refused(
                format!("the file `{}`", shown(path)),
                "it is not UTF-8",
            )),
        }
    }

    /// Lists what the bundle contains: every file, as what it is, and what the scan finds.
    fn entries(&self) -> Vec<ContentEntry> {
        let files = self.tree.files();
        let files = files.map(|(path, file)| file_entry(self.kind(path), path, file, true));
        let findings = self.texts().flat_map(|(path, text)| scan(path, text));
        let findings =
            findings.map(|found| ContentEntry::from_name(EntryKind::Finding, found.to_string()));
        files.chain(findings).collect()
    }

    /// Returns what a file is. One that is several things is what runs most readily.
    fn kind(&self, path: &str) -> EntryKind {
        let manifest = &self.manifest;
        let is_part = |part: &Part| matches!(part, Part::File(file) if file == path);
        if manifest.hooks.iter().any(is_part) {
            EntryKind::Hook
        } else if manifest.servers.iter().any(is_part) {
            EntryKind::Server
        } else if is_skill(path, &manifest.skills) {
            EntryKind::Skill
        } else if is_definition(path, &manifest.agents) {
            EntryKind::Agent
        } else if is_definition(path, &manifest.commands) {
            EntryKind::Command
        } else {
            EntryKind::File
        }
    }

    fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.tree.files();
        files.filter_map(|(path, file)| Some((path, str::from_utf8(&file.bytes).ok()?)))
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
