//! Converts a skill to the entry of `skills/list` and `skills/get`.

use rmcp::model::{Resource, Skill as RmcpSkill, SkillResource, SkillResources};

use super::{front_matter, media_type, uri};
use helve_core::support::hex;
use helve_skill::Skill;

/// The number of files of a skill that the protocol requires hosts to support.
const MAX_FILES: usize = 512;

/// The size of a skill that the protocol requires hosts to support.
const MAX_BYTES: u64 = 16 << 20;

const SKILL_MD: &str = "SKILL.md";

/// Returns the entry of a skill, with the digest of each of its files.
///
/// # Errors
///
/// Returns the reason if the skill cannot be served.
pub(super) async fn from_skill(skill: &Skill) -> Result<RmcpSkill, String> {
    let root = uri::root(skill.name());
    let files = skill.files();
    if files.len() > MAX_FILES {
        let count = files.len();
        return Err(format!(
            "it has {count} files, and {MAX_FILES} are the most that clients load"
        ));
    }
    let bytes: u64 = skill.files().map(|file| file.size).sum();
    if bytes > MAX_BYTES {
        return Err(format!(
            "it has {bytes} bytes, and {MAX_BYTES} are the most that clients load"
        ));
    }
    let mut files: Vec<_> = files
        .map(|file| {
            let digest = format!("sha256:{}", hex::encode(file.sha256));
            SkillResource::new(uri::join(&root, file.path), digest, file.size)
        })
        .collect();
    files.sort_by(|a, b| a.uri.cmp(&b.uri));
    let front_matter = front_matter::from_skill(skill).await;
    let entry = RmcpSkill::new(
        uri::join(&root, SKILL_MD),
        front_matter,
        SkillResources::Files(files),
    );
    entry.validate().map_err(|error| error.to_string())?;
    Ok(entry)
}

/// Returns the entry of `resources/list` for the SKILL.md of a skill.
pub(super) fn manifest(skill: &Skill, entry: &RmcpSkill) -> Resource {
    let resource = Resource::new(&entry.uri, skill.name()).with_description(skill.description());
    let resource = match media_type::from_path(SKILL_MD) {
        Some(mime_type) => resource.with_mime_type(mime_type),
        None => resource,
    };
    match skill.file(SKILL_MD) {
        Some(file) => resource.with_size(file.size),
        None => resource,
    }
}
