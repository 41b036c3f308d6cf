//! Packs a skill into an archive, the same for the same files, with the entry of an index for it.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use helve_skill_format::Profile;
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::candidate::{CandidateRules, SkillCandidate};
use crate::error::InstallError;
use crate::tree::SkillTree;

/// A packed skill.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PackedSkill {
    /// The skill.
    pub skill: SkillCandidate,
    /// The archive.
    pub path: PathBuf,
    /// The entry of the skill in the index of a host.
    pub index_entry: Value,
}

/// Packs the skill in a folder as `NAME.tar.gz` in another folder. The skill has to follow the specification. Blocks on file
/// access.
///
/// # Errors
/// When the folder has no valid skill, or the archive cannot be written.
pub fn pack(folder: &Path, target: &Path) -> Result<PackedSkill, InstallError> {
    let named = folder
        .canonicalize()
        .map_err(InstallError::io("read", folder))?;
    let name = named
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let rules = CandidateRules {
        profile: Profile::Spec,
        allows_unicode_names: true,
    };
    let skill = SkillCandidate::new(SkillTree::read_folder(&named)?, name, rules)?;
    let path = target.join(format!("{}.tar.gz", skill.name));
    let archive = archive(&skill.name, &skill.tree).map_err(InstallError::io("write", &path))?;
    let file = AtomicFile::new(&path, FilePermissions::PreserveOrUmask);
    file.replace(&[&archive])
        .map_err(InstallError::io("write", &path))?;
    let digest = helve_core::support::hex::encode(&Sha256::digest(&archive));
    let index_entry = json!({
        "name": skill.name,
        "type": "archive",
        "description": skill.description,
        "url": format!("/.well-known/agent-skills/{}.tar.gz", skill.name),
        "digest": format!("sha256:{digest}"),
    });
    Ok(PackedSkill {
        skill,
        path,
        index_entry,
    })
}

/// Writes a tar file in gzip without times, users and other facts of this machine.
fn archive(name: &str, tree: &SkillTree) -> io::Result<Vec<u8>> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, file) in tree.files() {
        let mut header = tar::Header::new_ustar();
        header.set_size(file.bytes.len() as u64);
        header.set_mode(if file.executable { 0o755 } else { 0o644 });
        header.set_mtime(0);
        header.set_entry_type(tar::EntryType::Regular);
        tar.append_data(&mut header, format!("{name}/{path}"), file.bytes.as_slice())?;
    }
    let tar = tar.into_inner()?;
    let mut gzip = GzBuilder::new()
        .mtime(0)
        .operating_system(255)
        .write(Vec::new(), Compression::best());
    gzip.write_all(&tar)?;
    gzip.finish()
}
