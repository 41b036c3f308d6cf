//! Skills in a folder of this machine, read when they are listed and watched from turn to turn.

mod reading;
mod survey;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use helve_skill_format::File;

use self::reading::Reading;
use super::{SkillError, SkillList, SkillOrigin, SkillProblem, SkillSource};
use crate::support::lock::Mutex;

/// A folder of skills on this machine.
///
/// Each direct subfolder is a skill. A bad one is a problem in the list, and never hides the others. Nothing is found in
/// a folder that is not there, which may be made later. A link to a skill elsewhere is followed as long as it stays in
/// the project, or in the user's home.
///
/// Reading and watching have bounds: 8,192 skills, 100,000 files, 512 MiB; what is beyond is left out and said. What has
/// not changed since it was read is not read again.
#[derive(Debug, Clone)]
pub struct SkillFolder {
    place: Arc<Place>,
    known: Arc<Mutex<Known>>,
}

#[derive(Debug)]
struct Place {
    origin: SkillOrigin,
    folder: PathBuf,
    within: PathBuf,
}

/// What was read before, by the folder of the skill, with the fingerprint that it had.
#[derive(Debug, Default)]
struct Known {
    readings: HashMap<PathBuf, (u64, Arc<Reading>)>,
    /// Which folder has the skill of a name.
    names: HashMap<String, PathBuf>,
}

impl SkillFolder {
    /// The folders of skills below a project or a home, in the order in which they are looked at.
    pub const USUAL: [&str; 2] = [".agents/skills", ".claude/skills"];

    /// Reads skills in the [usual](Self::USUAL) folders of a project.
    #[must_use]
    pub fn of_project(root: &Path) -> Vec<Self> {
        Self::usual(root, |folder| SkillOrigin::Project { folder })
    }

    /// Reads skills in the [usual](Self::USUAL) folders of a user, below the home folder.
    #[must_use]
    pub fn of_user(home: &Path) -> Vec<Self> {
        Self::usual(home, |folder| SkillOrigin::User { folder })
    }

    /// Reads skills in a folder that the configuration names.
    pub fn configured(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let origin = SkillOrigin::Folder {
            folder: folder.clone(),
        };
        Self::at(origin, folder.clone(), folder)
    }

    /// Returns the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.place.folder
    }

    fn usual(below: &Path, origin: impl Fn(PathBuf) -> SkillOrigin) -> Vec<Self> {
        let folders = Self::USUAL.iter().map(|usual| {
            let folder = below.join(usual);
            Self::at(origin(folder.clone()), folder, below.to_owned())
        });
        folders.collect()
    }

    fn at(origin: SkillOrigin, folder: PathBuf, within: PathBuf) -> Self {
        Self {
            place: Arc::new(Place {
                origin,
                folder,
                within,
            }),
            known: Arc::default(),
        }
    }

    /// Runs something that blocks where it may.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Place, &Mutex<Known>) -> T + Send + 'static,
    ) -> Result<T, SkillError> {
        let (place, known) = (Arc::clone(&self.place), Arc::clone(&self.known));
        let done = tokio::task::spawn_blocking(move || work(&place, &known)).await;
        done.map_err(|error| SkillError::Unavailable {
            origin: self.place.origin.clone(),
            reason: error.to_string(),
        })
    }
}

impl SkillSource for SkillFolder {
    fn origin(&self) -> SkillOrigin {
        self.place.origin.clone()
    }

    fn list(&self) -> BoxFuture<'_, Result<SkillList, SkillError>> {
        Box::pin(self.blocking(list))
    }

    fn read<'a>(
        &'a self,
        skill: &'a str,
        path: &'a str,
    ) -> BoxFuture<'a, Result<Cow<'static, [u8]>, SkillError>> {
        let (skill, path) = (skill.to_owned(), path.to_owned());
        Box::pin(async move {
            let read = move |_: &Place, known: &Mutex<Known>| {
                let file = known.lock().file(&skill, &path);
                match file {
                    Some(file) => contents(&skill, &file),
                    None => Err(SkillError::Changed { skill, path }),
                }
            };
            self.blocking(read).await?.map(Cow::Owned)
        })
    }

    fn revision(&self) -> BoxFuture<'_, u64> {
        Box::pin(async {
            let survey = |place: &Place, _: &Mutex<Known>| {
                survey::survey(&place.folder, &place.within).fingerprint
            };
            // Where there is no thread to look, nothing has been seen to change.
            self.blocking(survey).await.unwrap_or_default()
        })
    }
}

/// Lists the skills, reading those that are not known yet as they are now.
fn list(place: &Place, known: &Mutex<Known>) -> SkillList {
    // Before the files are read: what changes meanwhile is seen the next time.
    let survey = survey::survey(&place.folder, &place.within);
    let mut list = SkillList {
        problems: survey.problems,
        revision: survey.fingerprint,
        ..SkillList::default()
    };
    let before = std::mem::take(&mut known.lock().readings);
    let mut fresh = Known::default();
    for found in survey.found {
        let reading = match before.get(&found.folder) {
            Some((fingerprint, reading)) if *fingerprint == found.fingerprint => {
                Arc::clone(reading)
            }
            _ => Arc::new(reading::read(&found, &place.folder, &place.origin)),
        };
        list.problems.extend(reading.problems.iter().cloned());
        if let Some(skill) = &reading.skill {
            match fresh.names.get(skill.name()) {
                None => {
                    fresh
                        .names
                        .insert(skill.name().to_owned(), found.folder.clone());
                    list.skills.push(skill.clone());
                }
                Some(first) => list
                    .problems
                    .push(twice(skill.name(), first, &found.folder)),
            }
        }
        fresh
            .readings
            .insert(found.folder, (found.fingerprint, reading));
    }
    *known.lock() = fresh;
    list
}

/// Says that a folder's skill has the name of another one in the same folder of skills.
fn twice(name: &str, first: &Path, second: &Path) -> SkillProblem {
    let message = format!(
        "`{}` is also named `{name}`, as `{}` is, and is left out; rename one of the two",
        second.display(),
        first.display()
    );
    SkillProblem::error(message)
        .of_skill(name)
        .in_folder(second)
}

impl Known {
    fn file(&self, skill: &str, path: &str) -> Option<File> {
        let (_, reading) = self.readings.get(self.names.get(skill)?)?;
        reading.files.iter().find(|file| file.path == path).cloned()
    }
}

/// Reads a file as it was listed.
fn contents(skill: &str, file: &File) -> Result<Vec<u8>, SkillError> {
    let changed = || SkillError::Changed {
        skill: skill.to_owned(),
        path: file.path.clone(),
    };
    // Opening what became a pipe since would wait for somebody to write.
    let is_file = std::fs::symlink_metadata(&file.location).is_ok_and(|now| now.is_file());
    if !is_file {
        return Err(changed());
    }
    match file.inspect() {
        Ok((_, bytes)) => Ok(bytes),
        Err(error) => Err(SkillError::Unreadable {
            skill: skill.to_owned(),
            path: file.path.clone(),
            source: Arc::new(error),
        }),
    }
}
