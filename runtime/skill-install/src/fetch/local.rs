//! Folders and archives of this machine.

use std::fs;
use std::path::Path;

use helve_storage::bounded_read::read_if_exists;

use super::fetched::{FetchedSkills, Revision, sha256};
use crate::archive::ArchiveKind;
use crate::candidate::CandidateRules;
use crate::discover::{FoundSkills, skill_folders, skills_of_archive};
use crate::error::InstallError;
use crate::limits::{MAX_ARCHIVE_BYTES, MAX_REPOSITORY_ENTRIES, MAX_SKILLS};
use crate::source::InstallSource;
use crate::tree::{LEFT_OUT, SKILL_MD, SkillTree};

/// The greatest depth of folders that are searched for skills.
const MAX_SEARCH_DEPTH: usize = 6;

pub(super) async fn fetch_archive(
    source: &InstallSource,
    path: &Path,
    rules: CandidateRules,
) -> Result<FetchedSkills, InstallError> {
    let (source, path) = (source.clone(), path.to_owned());
    run_blocking(move || {
        let read = read_if_exists(&path, MAX_ARCHIVE_BYTES as u64);
        let bytes = read.map_err(InstallError::io("read", &path))?;
        let bytes = bytes.ok_or_else(|| InstallError::NoSkills {
            place: format!("`{}`, which does not exist,", path.display()),
        })?;
        let revision = Revision {
            sha256: Some(sha256(&bytes)),
            ..Revision::default()
        };
        let found = skills_of_archive(&bytes, ArchiveKind::Skills, None)?;
        FetchedSkills::new(&source, revision, found, rules)
    })
    .await
}

pub(super) async fn fetch_folder(
    source: &InstallSource,
    path: &Path,
    rules: CandidateRules,
) -> Result<FetchedSkills, InstallError> {
    let (source, path) = (source.clone(), path.to_owned());
    run_blocking(move || {
        let found = read_folder(&path)?;
        FetchedSkills::new(&source, Revision::default(), found, rules)
    })
    .await
}

async fn run_blocking(
    work: impl FnOnce() -> Result<FetchedSkills, InstallError> + Send + 'static,
) -> Result<FetchedSkills, InstallError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(InstallError::Unavailable(error.to_string())))
}

/// Reads the skills of a folder, by the names that messages have for it.
fn read_folder(root: &Path) -> Result<FoundSkills, InstallError> {
    // The folder's own name is that of a skill in it.
    let named = root
        .canonicalize()
        .map_err(InstallError::io("read", root))?;
    let own_name = named
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let paths = find_manifests(&named)?;
    let folders = skill_folders(paths.iter().map(String::as_str), "");
    if folders.len() > MAX_SKILLS {
        let reason = format!("it has {} skills; name a folder of it", folders.len());
        return Err(InstallError::refused(
            format!("`{}`", root.display()),
            reason,
        ));
    }
    let read = folders.into_iter().map(|folder| {
        let tree = SkillTree::read_folder(&named.join(&folder));
        let name = match folder.as_str() {
            "" => own_name.to_owned(),
            _ => folder,
        };
        (name, tree)
    });
    Ok(read.collect())
}

/// Lists the paths of the manifests below a folder, with `/` as the separator. Links are not followed.
fn find_manifests(root: &Path) -> Result<Vec<String>, InstallError> {
    let mut manifests = Vec::new();
    let mut open = vec![(root.to_owned(), String::new())];
    let mut room = MAX_REPOSITORY_ENTRIES;
    while let Some((folder, relative)) = open.pop() {
        for entry in fs::read_dir(&folder).map_err(InstallError::io("read", &folder))? {
            let entry = entry.map_err(InstallError::io("read", &folder))?;
            room = room.saturating_sub(1);
            if room == 0 {
                let reason = "it has too many files; name a folder of it";
                return Err(InstallError::refused(
                    format!("`{}`", root.display()),
                    reason,
                ));
            }
            let name = entry.file_name();
            let (Some(name), Ok(kind)) = (name.to_str(), entry.file_type()) else {
                continue;
            };
            let path = match relative.as_str() {
                "" => name.to_owned(),
                above => format!("{above}/{name}"),
            };
            if kind.is_file() && name == SKILL_MD {
                manifests.push(path);
            } else if kind.is_dir()
                && !LEFT_OUT.contains(&name)
                && path.split('/').count() < MAX_SEARCH_DEPTH
            {
                open.push((entry.path(), path));
            }
        }
    }
    Ok(manifests)
}
