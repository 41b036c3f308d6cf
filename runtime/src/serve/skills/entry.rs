//! One skill as `skills/list` and `skills/get` have it.

use rmcp::model::{Resource, Skill as Entry, SkillResource, SkillResources};

use super::{front_matter, mime, uri};
use crate::skill::Skill;
use crate::support::hex;

/// The most files of a skill that hosts have to load.
const MOST_FILES: usize = 512;

/// The most bytes of a skill that hosts have to load.
const MOST_BYTES: u64 = 16 << 20;

const SKILL_MD: &str = "SKILL.md";

/// Makes the entry of a skill, with the digest of each of its files; says why where it cannot be served.
pub(super) async fn of(skill: &Skill) -> Result<Entry, String> {
    let root = uri::root(skill.name());
    let files = skill.files();
    if files.len() > MOST_FILES {
        return Err(format!(
            "it has {} files, and {MOST_FILES} are the most that clients load",
            files.len()
        ));
    }
    let bytes: u64 = skill.files().map(|file| file.size).sum();
    if bytes > MOST_BYTES {
        return Err(format!(
            "it has {bytes} bytes, and {MOST_BYTES} are the most that clients load"
        ));
    }
    let mut files: Vec<_> = files
        .map(|file| {
            let digest = format!("sha256:{}", hex::encode(file.sha256));
            SkillResource::new(uri::below(&root, file.path), digest, file.size)
        })
        .collect();
    files.sort_by(|a, b| a.uri.cmp(&b.uri));
    let front_matter = front_matter::of(skill).await;
    let entry = Entry::new(
        uri::below(&root, SKILL_MD),
        front_matter,
        SkillResources::Files(files),
    );
    match entry.validate() {
        Ok(()) => Ok(entry),
        Err(error) => Err(error.to_string()),
    }
}

/// Makes what `resources/list` says of a skill's SKILL.md.
pub(super) fn manifest(skill: &Skill, entry: &Entry) -> Resource {
    let resource = Resource::new(&entry.uri, skill.name()).with_description(skill.description());
    let resource = match mime::of(SKILL_MD) {
        Some(mime_type) => resource.with_mime_type(mime_type),
        None => resource,
    };
    match skill.file(SKILL_MD) {
        Some(file) => resource.with_size(file.size),
        None => resource,
    }
}
