//! A skill, read and checked: what is embedded.

use std::fs;

use sha2::{Digest, Sha256};

use crate::check::{self, Candidate};
use crate::codes;
use crate::front_matter;
use crate::report::{Finding, Position, Report};
use crate::walk::{self, FoundFile, SKILL_MD, SkillFolder};

/// The largest file that is embedded.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// A skill that keeps every rule.
#[derive(Debug)]
pub struct Skill {
    pub name: String,
    pub description: String,
    /// The name of its folder.
    pub folder: String,
    /// The byte of the SKILL.md at which the body begins.
    pub body_start: usize,
    /// Every file, sorted by path; the SKILL.md is one of them.
    pub files: Vec<File>,
}

/// A file of a skill, without its bytes: the compiler reads those itself.
#[derive(Debug, PartialEq, Eq)]
pub struct File {
    pub path: String,
    pub size: u64,
    pub sha256: [u8; 32],
    pub executable: bool,
    pub utf8: bool,
}

/// Reads and checks the skill in a folder; `None`, and the reasons in the report, if anything is wrong with it.
pub(crate) fn read(folder: &SkillFolder, report: &mut Report) -> Option<Skill> {
    let mut files = Vec::new();
    let mut manifest = None;
    let mut sound = true;
    for found in &folder.files {
        let mut findings = Vec::new();
        match read_file(found) {
            Ok((file, bytes)) => {
                if found.path == SKILL_MD {
                    manifest = read_manifest(&folder.name, &bytes, &mut findings);
                }
                files.push(file);
            }
            Err(finding) => findings.push(finding),
        }
        sound &= findings.is_empty();
        for finding in findings {
            report.skill(
                &folder.name,
                &format!("{}/{}", folder.name, found.path),
                finding,
            );
        }
    }
    let Manifest {
        name,
        description,
        body_start,
    } = manifest.filter(|_| sound)?;
    Some(Skill {
        name,
        description,
        folder: folder.name.clone(),
        body_start,
        files,
    })
}

fn read_file(found: &FoundFile) -> Result<(File, Vec<u8>), Finding> {
    // Looked at before it is read: a file that is far too large would take the compiler's memory.
    let metadata = fs::metadata(&found.location).map_err(|error| walk::unreadable(&error))?;
    let size = metadata.len();
    if size > MAX_FILE {
        let message = format!("the file is {size} bytes long; at most {MAX_FILE} are embedded");
        return Err(Finding::new(codes::FILE_SIZE, message));
    }
    let bytes = fs::read(&found.location).map_err(|error| walk::unreadable(&error))?;
    let file = File {
        path: found.path.clone(),
        size: bytes.len() as u64,
        sha256: Sha256::digest(&bytes).into(),
        // Half of the scripts out there have a `#!` line and no mode bit, and not every system has the bit.
        executable: bytes.starts_with(b"#!") || has_mode_bit(&metadata),
        utf8: str::from_utf8(&bytes).is_ok(),
    };
    Ok((file, bytes))
}

#[cfg(unix)]
fn has_mode_bit(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn has_mode_bit(_: &fs::Metadata) -> bool {
    false
}

/// What a SKILL.md says.
struct Manifest {
    name: String,
    description: String,
    body_start: usize,
}

fn read_manifest(folder: &str, bytes: &[u8], findings: &mut Vec<Finding>) -> Option<Manifest> {
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = position_after(&bytes[..error.valid_up_to()]);
            findings.push(Finding::new(codes::NOT_UTF8, format!("{SKILL_MD} is not UTF-8")).at(at));
            return None;
        }
    };
    if let Some(nul) = text.find('\0') {
        let at = position_after(&bytes[..nul]);
        findings.push(
            Finding::new(codes::NUL, "the file holds a NUL character")
                .at(at)
                .help("delete it"),
        );
        return None;
    }
    let parts = front_matter::split(text)
        .map_err(|finding| findings.push(finding))
        .ok()?;
    let front_matter = front_matter::read(parts.yaml, findings);
    findings.extend(check::check(&Candidate {
        folder,
        front_matter: &front_matter,
    }));
    let text = |key| Some(front_matter.get(key)?.text.as_deref()?.trim().to_owned());
    Some(Manifest {
        name: text("name")?,
        description: text("description")?,
        body_start: parts.body_start,
    })
}

/// The place right behind `bytes`, which are UTF-8.
fn position_after(bytes: &[u8]) -> Position {
    let text = String::from_utf8_lossy(bytes);
    let line = text.matches('\n').count() + 1;
    let column = text.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Position { line, column }
}
