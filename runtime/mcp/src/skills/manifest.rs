//! The manifests of a server's skills.

use std::fmt::Write as _;

use rmcp::model::{Skill, SkillResources};

use crate::connection::Connection;
use crate::{CallError, approval};
use helve_core::support::hex;
use helve_core::tool::ToolContext;
use helve_permission::acceptances::ContentEntry;
use helve_skill::{DigestInput, SkillDigest};

const MOST_FILES: usize = 1_000;

const LONGEST_FILE: u64 = 16 << 20;

const LONGEST_DESCRIPTION: usize = 8 << 10;

/// Returns the entries of a server's skills for an approval. Invalid skills are left out.
pub(crate) async fn entries(connection: &Connection) -> Result<Vec<ContentEntry>, CallError> {
    let skills = connection.skills(&ToolContext::new()).await?;
    let manifests = skills
        .iter()
        .filter_map(|skill| Manifest::from_skill(skill).ok());
    Ok(manifests.map(|manifest| manifest.entry()).collect())
}

/// The manifest of a skill: its name, description and files, as its server lists them, after validation.
#[derive(Debug, Clone)]
pub(super) struct Manifest {
    pub(super) name: String,
    pub(super) description: String,
    /// The files, sorted by path.
    pub(super) files: Vec<ManifestFile>,
}

#[derive(Debug, Clone)]
pub(super) struct ManifestFile {
    pub(super) path: String,
    pub(super) uri: String,
    pub(super) size: u64,
    pub(super) sha256: [u8; 32],
}

impl Manifest {
    /// Validates a skill of a server; returns the reason if it is invalid.
    pub(super) fn from_skill(skill: &Skill) -> Result<Self, String> {
        skill.validate().map_err(|error| error.to_string())?;
        let SkillResources::Files(listed) = &skill.resources else {
            return Err(
                "its files change with each reading, so they cannot be approved".to_owned(),
            );
        };
        if listed.len() > MOST_FILES {
            let count = listed.len();
            return Err(format!(
                "it has {count} files, and {MOST_FILES} are the most"
            ));
        }
        let root = skill.uri.strip_suffix(rmcp::model::SKILL_MD);
        let root = root.unwrap_or(&skill.uri);
        let mut files = Vec::with_capacity(listed.len());
        for file in listed {
            let path = file.uri.strip_prefix(root).and_then(path).ok_or_else(|| {
                format!(
                    "`{}` is not a path below its folder",
                    crate::tool::shown(&file.uri)
                )
            })?;
            if file.size > LONGEST_FILE {
                let size = file.size;
                return Err(format!(
                    "`{path}` has {size} bytes, and {LONGEST_FILE} are the most"
                ));
            }
            let digest = file.digest.parse();
            let digest: SkillDigest = digest.map_err(|error| format!("`{path}`: {error}"))?;
            files.push(ManifestFile {
                path,
                uri: file.uri.clone(),
                size: file.size,
                sha256: *digest.as_bytes(),
            });
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let said = &skill.frontmatter.description;
        let said = &said[..said.floor_char_boundary(LONGEST_DESCRIPTION)];
        Ok(Self {
            name: skill.name().to_owned(),
            description: helve_untrusted::neutralize(said).into_owned(),
            files,
        })
    }

    pub(super) fn digest(&self) -> SkillDigest {
        let files = self.files.iter().map(|file| DigestInput {
            path: &file.path,
            executable: false,
            sha256: &file.sha256,
        });
        SkillDigest::compute(&self.name, files)
    }

    pub(super) fn entry(&self) -> ContentEntry {
        let mut text = format!("{}\n", self.description.trim_end());
        for file in &self.files {
            let short = hex::encode(&file.sha256[..4]);
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{} ({} bytes, {short}…)", file.path, file.size);
        }
        approval::skill_entry(&self.name, self.digest(), &text)
    }

    pub(super) fn file(&self, path: &str) -> Option<&ManifestFile> {
        let index = self
            .files
            .binary_search_by(|file| file.path.as_str().cmp(path));
        index.ok().map(|index| &self.files[index])
    }
}

/// Parses the part of a URI after the skill's folder as a path that stays in the folder.
fn path(encoded: &str) -> Option<String> {
    let path = decoded(encoded)?;
    let is_plain = |part: &str| !matches!(part, "" | "." | "..");
    let is_below = path.split('/').all(is_plain);
    let is_harmless = !path
        .chars()
        .any(|one| one.is_control() || one == '\\' || one == ':');
    (is_below && is_harmless && !encoded.contains(['?', '#'])).then_some(path)
}

/// Decodes percent-encoded bytes.
fn decoded(encoded: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let [first, after @ ..] = rest {
        if *first != b'%' {
            bytes.push(*first);
            rest = after;
            continue;
        }
        let [high, low, after @ ..] = after else {
            return None;
        };
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let value = digit(*high)? << 4 | digit(*low)?;
        bytes.push(u8::try_from(value).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn a_path_stays_below_the_skill() {
        for (encoded, expected) in [
            ("SKILL.md", "SKILL.md"),
            ("scripts/a%20b.py", "scripts/a b.py"),
        ] {
            assert_eq!(path(encoded).as_deref(), Some(expected));
        }
        for escape in [
            "",
            "../x",
            "a/../x",
            "%2e%2e/x",
            "a//b",
            "/etc",
            "a%2f..%2fb",
            "c:x",
            "a\\b",
            "%00",
            "%zz",
            "a?b",
            "%",
        ] {
            assert_eq!(path(escape), None, "{escape}");
        }
    }
}
