//! The status of skills on this machine: disabled, paused, and the failures of their runs.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use helve_skill::SkillAvailability;
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::bounded_read::read_if_exists;
use helve_storage::file_lock::FileLock;
use helve_storage::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::InstallError;

/// The number of failed runs in a row after which a skill is paused.
pub const MAX_FAILURES: u32 = 3;

/// The greatest size of the file, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// The version of the format.
const VERSION: u32 = 1;

/// The status of a skill that is not simply in use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SkillStatus {
    /// The name of the skill.
    pub name: String,
    /// The project in which the status applies; everywhere if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// Whether the skill is disabled.
    #[serde(default, skip_serializing_if = "is_false")]
    pub disabled: bool,
    /// Why and since when the skill is paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Pause>,
    /// The number of failed runs in a row.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failures: u32,
}

/// The pause of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Pause {
    /// The reason.
    pub reason: String,
    /// When the pause began.
    pub since: Timestamp,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "for serde")]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "for serde")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl SkillStatus {
    /// Returns whether the skill is not used.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.disabled || self.paused.is_some()
    }

    /// Returns why the skill is not used, and what the user can do; `None` if it is used.
    pub(crate) fn unused_reason(&self) -> Option<String> {
        let name = &self.name;
        match &self.paused {
            _ if self.disabled => {
                Some(format!("disabled; the user can run `skills enable {name}`"))
            }
            Some(pause) => Some(format!(
                "paused: {}; the user can run `skills resume {name}`",
                pause.reason
            )),
            None => None,
        }
    }

    fn is_plain(&self) -> bool {
        !self.is_unused() && self.failures == 0
    }

    /// Returns the status in a word or two, as in `paused`.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match (self.disabled, &self.paused) {
            (true, _) => "disabled",
            (false, Some(_)) => "paused",
            (false, None) => "active",
        }
    }
}

/// The statuses of all skills, in a file of the user.
#[derive(Debug, Clone)]
pub struct SkillStatuses {
    path: PathBuf,
}

/// The statuses that apply in one project, for a catalogue that leaves out the skills that are not used.
#[derive(Debug, Clone)]
pub struct ProjectStatuses {
    statuses: SkillStatuses,
    project: PathBuf,
}

impl SkillAvailability for ProjectStatuses {
    fn unused(&self) -> Result<BTreeMap<String, String>, String> {
        let list = self.statuses.list(&self.project);
        let list = list.map_err(|error| error.to_string())?.into_iter();
        let mut unused = BTreeMap::new();
        for status in list.filter(SkillStatus::is_unused) {
            let reason = status.unused_reason().unwrap_or_default();
            // Of a skill that is paused here and disabled everywhere, the strictest is said.
            if status.disabled {
                unused.insert(status.name, reason);
            } else {
                unused.entry(status.name).or_insert(reason);
            }
        }
        Ok(unused)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatusDocument {
    version: u32,
    skills: Vec<SkillStatus>,
}

impl SkillStatuses {
    /// Uses a file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns the statuses that apply in a project, for a catalogue.
    #[must_use]
    pub fn in_project(&self, project: impl Into<PathBuf>) -> ProjectStatuses {
        ProjectStatuses {
            statuses: self.clone(),
            project: project.into(),
        }
    }

    /// Returns the statuses that apply in a project. Blocks on file access.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn list(&self, project: &Path) -> Result<Vec<SkillStatus>, InstallError> {
        let mut list = self.read()?;
        let applies = |status: &SkillStatus| {
            let of = status.project.as_deref();
            of.is_none_or(|of| of == project)
        };
        list.retain(applies);
        Ok(list)
    }

    /// Returns the status of a skill in a project, of which the strictest applies. Blocks on file access.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn get(&self, name: &str, project: &Path) -> Result<SkillStatus, InstallError> {
        let mut found = SkillStatus {
            name: name.to_owned(),
            project: Some(project.to_owned()),
            ..SkillStatus::default()
        };
        for status in self
            .list(project)?
            .into_iter()
            .filter(|status| status.name == name)
        {
            found.disabled |= status.disabled;
            found.failures = found.failures.max(status.failures);
            found.paused = found.paused.or(status.paused);
        }
        Ok(found)
    }

    /// Changes the status of a skill in a project, or everywhere. Blocks on file access.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn change(
        &self,
        name: &str,
        project: Option<&Path>,
        change: impl FnOnce(&mut SkillStatus),
    ) -> Result<SkillStatus, InstallError> {
        let _lock =
            FileLock::lock_parent_of(&self.path).map_err(InstallError::io("lock", &self.path))?;
        let mut list = self.read()?;
        let is_it =
            |status: &SkillStatus| status.name == name && status.project.as_deref() == project;
        let mut status = match list.iter().position(is_it) {
            Some(at) => list.swap_remove(at),
            None => SkillStatus {
                name: name.to_owned(),
                project: project.map(Path::to_path_buf),
                ..SkillStatus::default()
            },
        };
        change(&mut status);
        if !status.is_plain() {
            list.push(status.clone());
        }
        list.sort_by(|a, b| (&a.name, &a.project).cmp(&(&b.name, &b.project)));
        self.write(list)?;
        Ok(status)
    }

    /// Records the end of a run. The failure that is the third in a row pauses the skill. Blocks on file access.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn record_run(
        &self,
        name: &str,
        project: &Path,
        failure: Option<&str>,
    ) -> Result<SkillStatus, InstallError> {
        self.change(name, Some(project), |status| match failure {
            None => status.failures = 0,
            Some(why) => {
                status.failures += 1;
                if status.failures >= MAX_FAILURES && status.paused.is_none() {
                    status.paused = Some(Pause {
                        reason: format!(
                            "it failed {} times in a row, the last time: {why}",
                            status.failures
                        ),
                        since: Timestamp::now(),
                    });
                }
            }
        })
    }

    /// Ends the pause of a skill, here and everywhere, and forgets its failures. Blocks on file access.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn resume(&self, name: &str, project: &Path) -> Result<bool, InstallError> {
        let was_paused = self.get(name, project)?.paused.is_some();
        for place in [Some(project), None] {
            self.change(name, place, |status| {
                status.paused = None;
                status.failures = 0;
            })?;
        }
        Ok(was_paused)
    }

    /// Pauses a skill. Blocks on file access.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn pause(
        &self,
        name: &str,
        project: Option<&Path>,
        reason: &str,
    ) -> Result<(), InstallError> {
        let pause = Pause {
            reason: reason.to_owned(),
            since: Timestamp::now(),
        };
        self.change(name, project, |status| status.paused = Some(pause))
            .map(drop)
    }

    fn read(&self) -> Result<Vec<SkillStatus>, InstallError> {
        let read =
            read_if_exists(&self.path, MAX_BYTES).map_err(InstallError::io("read", &self.path))?;
        let Some(bytes) = read else {
            return Ok(Vec::new());
        };
        let document: Result<StatusDocument, _> = serde_json::from_slice(&bytes);
        match document {
            Ok(document) if document.version == VERSION => Ok(document.skills),
            Ok(document) => Err(self.invalid(&format!("it has version {}", document.version))),
            Err(error) => Err(self.invalid(&error.to_string())),
        }
    }

    fn write(&self, skills: Vec<SkillStatus>) -> Result<(), InstallError> {
        let document = StatusDocument {
            version: VERSION,
            skills,
        };
        let text = serde_json::to_vec_pretty(&document).map_err(io::Error::from);
        let file = AtomicFile::new(&self.path, FilePermissions::OwnerOnly);
        let written = text.and_then(|text| file.replace(&[&text, b"\n"]));
        written.map_err(InstallError::io("write", &self.path))
    }

    fn invalid(&self, reason: &str) -> InstallError {
        InstallError::InvalidFile {
            path: self.path.clone(),
            reason: format!("{reason}; move the file away to begin anew"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_failures_in_a_row_pause_a_skill_until_it_is_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let statuses = SkillStatuses::new(folder.path().join("status.json"));
        let project = Path::new("/work");
        let run = |failure| statuses.record_run("report", project, failure).unwrap();
        run(Some("exit code 1"));
        run(Some("exit code 1"));
        run(None);
        for _ in 0..2 {
            assert_eq!(run(Some("exit code 2")).label(), "active");
        }
        let paused = run(Some("exit code 3")).paused.unwrap();
        assert_eq!(
            paused.reason,
            "it failed 3 times in a row, the last time: exit code 3"
        );
        assert!(statuses.get("report", project).unwrap().is_unused());
        assert!(
            !statuses
                .get("report", Path::new("/other"))
                .unwrap()
                .is_unused()
        );
        assert!(statuses.resume("report", project).unwrap());
        assert!(!statuses.resume("report", project).unwrap());
        assert_eq!(statuses.list(project).unwrap(), []);
    }

    #[test]
    fn a_status_applies_in_its_project_or_everywhere() {
        let folder = tempfile::tempdir().unwrap();
        let statuses = SkillStatuses::new(folder.path().join("status.json"));
        let (here, there) = (Path::new("/a"), Path::new("/b"));
        statuses
            .change("pdf", Some(here), |status| status.disabled = true)
            .unwrap();
        statuses.pause("csv", None, "by the user").unwrap();
        let names = |project| {
            let list = statuses.list(project).unwrap();
            let names: Vec<_> = list
                .into_iter()
                .map(|status| (status.name.clone(), status.label()))
                .collect();
            names
        };
        assert_eq!(
            names(here),
            [("csv".to_owned(), "paused"), ("pdf".to_owned(), "disabled")]
        );
        assert_eq!(names(there), [("csv".to_owned(), "paused")]);
    }
}
