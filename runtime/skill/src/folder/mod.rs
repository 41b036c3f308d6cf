//! A source of skills in a folder of this machine.

mod subfolder;
mod survey;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use helve_skill_format::FileInfo;

use self::subfolder::SubfolderContents;
use super::{SkillError, SkillList, SkillOrigin, SkillProblem, SkillSource, SourceFuture};
use helve_core::support::lock::Mutex;

/// A folder of skills on this machine.
///
/// Each direct subfolder is a skill. An invalid skill is a problem in the list, and does not hide the
/// others. A folder that does not exist has no skills, and may be created later. A symbolic link to a
/// skill is followed if its target is in the project, or in the user's home.
///
/// Reading and watching are limited to 8,192 skills, 100,000 files and 512 MiB; the rest is left out
/// and reported. A skill that has not changed since it was read is not read again.
///
/// ```
/// use std::path::Path;
/// use helve::skill::SkillFolder;
///
/// let folders = SkillFolder::for_user(Path::new("/home/me"));
/// assert!(folders.iter().all(|folder| folder.folder().starts_with("/home/me")));
/// ```
#[derive(Debug, Clone)]
pub struct SkillFolder {
    location: Arc<FolderLocation>,
    cache: Arc<Mutex<FolderCache>>,
}

#[derive(Debug)]
struct FolderLocation {
    origin: SkillOrigin,
    folder: PathBuf,
    within: PathBuf,
}

/// The skills that were read before, by folder, each with its fingerprint.
#[derive(Debug, Default)]
struct FolderCache {
    entries: HashMap<PathBuf, (u64, Arc<SubfolderContents>)>,
    /// The folder of the skill with a name.
    names: HashMap<String, PathBuf>,
}

impl SkillFolder {
    /// The folders of skills in a project or a home folder, in the order of their precedence.
    pub const DEFAULT_FOLDERS: [&str; 2] = [".agents/skills", ".claude/skills"];

    /// Returns sources for the [default](Self::DEFAULT_FOLDERS) folders of a project.
    #[must_use]
    pub fn for_project(root: &Path) -> Vec<Self> {
        Self::default_folders(root, |folder| SkillOrigin::Project { folder })
    }

    /// Returns sources for the [default](Self::DEFAULT_FOLDERS) folders of a user, in the home folder.
    #[must_use]
    pub fn for_user(home: &Path) -> Vec<Self> {
        Self::default_folders(home, |folder| SkillOrigin::User { folder })
    }

    /// Returns a source for a folder of the configuration.
    pub fn from_config(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let origin = SkillOrigin::Folder {
            folder: folder.clone(),
        };
        Self::new(origin, folder.clone(), folder)
    }

    /// Returns the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.location.folder
    }

    fn default_folders(below: &Path, origin: impl Fn(PathBuf) -> SkillOrigin) -> Vec<Self> {
        let folders = Self::DEFAULT_FOLDERS.iter().map(|usual| {
            let folder = below.join(usual);
            Self::new(origin(folder.clone()), folder, below.to_owned())
        });
        folders.collect()
    }

    fn new(origin: SkillOrigin, folder: PathBuf, within: PathBuf) -> Self {
        Self {
            location: Arc::new(FolderLocation {
                origin,
                folder,
                within,
            }),
            cache: Arc::default(),
        }
    }

    /// Runs a blocking function on a thread for blocking work.
    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&FolderLocation, &Mutex<FolderCache>) -> T + Send + 'static,
    ) -> Result<T, SkillError> {
        let (place, known) = (Arc::clone(&self.location), Arc::clone(&self.cache));
        let done = tokio::task::spawn_blocking(move || work(&place, &known)).await;
        done.map_err(|error| SkillError::Unavailable {
            origin: self.location.origin.clone(),
            reason: error.to_string(),
        })
    }
}

impl SkillSource for SkillFolder {
    fn origin(&self) -> SkillOrigin {
        self.location.origin.clone()
    }

    fn list(&self) -> SourceFuture<'_, SkillList> {
        Box::pin(self.run_blocking(list))
    }

    fn read<'a>(&'a self, skill: &'a str, path: &'a str) -> SourceFuture<'a, Cow<'static, [u8]>> {
        let (skill, path) = (skill.to_owned(), path.to_owned());
        Box::pin(async move {
            let read = move |_: &FolderLocation, known: &Mutex<FolderCache>| {
                let file = known.lock().file(&skill, &path);
                match file {
                    Some(file) => read_listed_file(&skill, &file),
                    None => Err(SkillError::Changed { skill, path }),
                }
            };
            self.run_blocking(read).await?.map(Cow::Owned)
        })
    }

    fn revision(&self) -> BoxFuture<'_, u64> {
        Box::pin(async {
            let survey = |place: &FolderLocation, _: &Mutex<FolderCache>| {
                survey::survey(&place.folder, &place.within).fingerprint
            };
            // If no thread is available, the folder counts as unchanged.
            self.run_blocking(survey).await.unwrap_or_default()
        })
    }
}

/// Lists the skills, and reads those that are new or have changed.
fn list(place: &FolderLocation, known: &Mutex<FolderCache>) -> SkillList {
    // Taken before the files are read: a change during the read is detected by the next survey.
    let survey = survey::survey(&place.folder, &place.within);
    let mut list = SkillList {
        problems: survey.problems,
        revision: survey.fingerprint,
        ..SkillList::default()
    };
    let before = std::mem::take(&mut known.lock().entries);
    let mut fresh = FolderCache::default();
    for found in survey.candidates {
        let reading = match before.get(&found.folder) {
            Some((known, reading)) if *known == found.fingerprint => Arc::clone(reading),
            _ => Arc::new(subfolder::read(&found, &place.folder, &place.origin)),
        };
        list.problems.extend(reading.problems.iter().cloned());
        if let Some(skill) = &reading.skill {
            let (name, folder) = (skill.name(), &found.folder);
            if let Some(first) = fresh.names.get(name) {
                let problem = duplicate_name_problem(name, first, folder);
                list.problems.push(problem);
            } else {
                fresh.names.insert(name.to_owned(), folder.clone());
                list.skills.push(skill.clone());
            }
        }
        let entry = (found.fingerprint, reading);
        fresh.entries.insert(found.folder, entry);
    }
    *known.lock() = fresh;
    list
}

/// Returns the problem of a skill with the name of another skill in the same folder.
fn duplicate_name_problem(name: &str, first: &Path, second: &Path) -> SkillProblem {
    let message = format!(
        "ignored `{}`: `{}` already defines a skill named `{name}`; rename one of them",
        second.display(),
        first.display()
    );
    SkillProblem::error(message)
        .with_skill(name)
        .with_folder(second)
}

impl FolderCache {
    fn file(&self, skill: &str, path: &str) -> Option<FileInfo> {
        let (_, reading) = self.entries.get(self.names.get(skill)?)?;
        reading.files.iter().find(|file| file.path == path).cloned()
    }
}

fn read_listed_file(skill: &str, file: &FileInfo) -> Result<Vec<u8>, SkillError> {
    // Opening a file that has become a pipe would wait for a writer.
    let is_file = std::fs::symlink_metadata(&file.location).is_ok_and(|now| now.is_file());
    if !is_file {
        let (skill, path) = (skill.to_owned(), file.path.clone());
        return Err(SkillError::Changed { skill, path });
    }
    let (_, bytes) = file.inspect().map_err(|error| SkillError::Unreadable {
        skill: skill.to_owned(),
        path: file.path.clone(),
        source: Arc::new(error),
    })?;
    Ok(bytes)
}
