//! Surveys a folder for skills and for changes, without reading files.

use std::fs::{self, DirEntry, Metadata};
use std::hash::{BuildHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use helve_skill_format::limits;

use crate::SkillProblem;

/// The greatest number of files and folders, over all skills of one folder.
const MAX_ENTRIES: usize = 100_000;

/// The greatest size of all skills of one folder, in bytes.
const MAX_BYTES: u64 = 512 << 20;

/// The result of surveying a folder of skills.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// The candidates for skills, sorted by name.
    pub(super) candidates: Vec<CandidateFolder>,
    pub(super) problems: Vec<SkillProblem>,
    /// A hash that differs when anything has changed.
    pub(super) fingerprint: u64,
}

/// A subfolder that may be a skill.
#[derive(Debug)]
pub(super) struct CandidateFolder {
    pub(super) name: String,
    /// The path, with symbolic links resolved.
    pub(super) folder: PathBuf,
    pub(super) fingerprint: u64,
}

/// The remaining budget of a survey.
struct ScanBudget {
    entries: usize,
    bytes: u64,
}

/// Surveys a folder of skills. Symbolic links are followed only if their targets are below `within`.
pub(super) fn survey(folder: &Path, within: &Path) -> Survey {
    let mut survey = Survey::default();
    let Ok(real) = folder.canonicalize() else {
        // A missing folder is no problem: most projects have none.
        return survey;
    };
    let shown = folder.display();
    let within = within.canonicalize().unwrap_or_else(|_| within.to_owned());
    if !real.starts_with(&within) {
        let message = format!(
            "ignored `{shown}`: it links to `{}`, outside of `{}`; add that folder to the configuration",
            real.display(),
            within.display()
        );
        survey.problems.push(SkillProblem::error(message));
        return survey;
    }
    let entries = match entries(&real) {
        Ok(entries) => entries,
        Err(error) => {
            let message = format!("`{shown}` cannot be read: {error}");
            survey.problems.push(SkillProblem::error(message));
            return survey;
        }
    };
    survey.add_entries(entries, folder, &within);
    survey.fingerprint = combine_fingerprints(&survey);
    survey
}

impl Survey {
    fn add_entries(&mut self, entries: Vec<DirEntry>, shown: &Path, within: &Path) {
        let mut room = ScanBudget {
            entries: MAX_ENTRIES,
            bytes: MAX_BYTES,
        };
        let mut looked_at = 0;
        let mut left_out = 0;
        for entry in entries {
            let Some(folder) = self.skill_folder(&entry, shown, within) else {
                continue;
            };
            looked_at += 1;
            if looked_at > limits::MAX_SKILLS || room.is_exhausted() {
                left_out += 1;
                continue;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            match fingerprint(&folder, &mut room) {
                Ok(fingerprint) => self.candidates.push(CandidateFolder {
                    name,
                    folder,
                    fingerprint,
                }),
                Err(error) => {
                    let message = format!("`{}` cannot be read: {error}", entry.path().display());
                    let problem = SkillProblem::error(message).with_skill(name);
                    self.problems.push(problem.with_folder(folder));
                }
            }
        }
        if left_out > 0 {
            let message = format!(
                "`{}` is too large: skipped {left_out} of {looked_at} folders (at most {} skills, {MAX_ENTRIES} files, {} MiB); move unneeded files elsewhere",
                shown.display(),
                limits::MAX_SKILLS,
                MAX_BYTES >> 20,
            );
            self.problems.push(SkillProblem::error(message));
        }
    }

    /// Returns the path of a subfolder that may be a skill; otherwise returns `None`, and adds a
    /// problem if the entry is a folder or a link that cannot be used.
    fn skill_folder(&mut self, entry: &DirEntry, shown: &Path, within: &Path) -> Option<PathBuf> {
        let name = entry.file_name();
        // Names of folders that tools use for themselves begin with a dot.
        if name.as_encoded_bytes().starts_with(b".") || name == "node_modules" {
            return None;
        }
        let kind = entry.file_type().ok()?;
        if !kind.is_dir() && !kind.is_symlink() {
            return None;
        }
        let place = shown.join(&name);
        let place = place.display();
        let is_within_itself = |real: &Path| {
            let path = entry.path();
            path.parent().is_some_and(|here| here.starts_with(real))
        };
        let message = match entry.path().canonicalize() {
            Err(error) => format!("`{place}` is a broken link: {error}"),
            Ok(real) if !real.is_dir() => return None,
            Ok(real) if !real.starts_with(within) => format!(
                "`{place}` links to `{}`, outside of `{}`; copy the skill here, or add its folder to the configuration",
                real.display(),
                within.display()
            ),
            Ok(real) if is_within_itself(&real) => format!(
                "`{place}` links to its own parent `{}`; delete the link",
                real.display()
            ),
            Ok(_) if name.to_str().is_none() => {
                format!("the name of `{place}` is not UTF-8; rename the folder")
            }
            Ok(real) => return Some(real),
        };
        let problem = SkillProblem::error(message).with_skill(name.to_string_lossy());
        self.problems.push(problem);
        None
    }
}

impl ScanBudget {
    fn is_exhausted(&self) -> bool {
        self.entries == 0 || self.bytes == 0
    }
}

/// Hashes the names, sizes and times of a skill's files. Targets of symbolic links are not followed: a
/// target in the skill is visited by itself, and a target outside of the skill is never read.
fn fingerprint(skill: &Path, room: &mut ScanBudget) -> io::Result<u64> {
    let mut hasher = new_hasher();
    let mut open = vec![(skill.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        for entry in entries(&folder)? {
            if room.is_exhausted() {
                return Ok(hasher.finish());
            }
            room.entries -= 1;
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            entry.path().hash(&mut hasher);
            hash_metadata(&metadata, &mut hasher);
            if metadata.is_file() {
                // A file that is too large is not read, and does not count.
                let size = Some(metadata.len()).filter(|size| *size <= limits::MAX_FILE);
                room.bytes = room.bytes.saturating_sub(size.unwrap_or_default());
            } else if metadata.is_dir() && depth < limits::MAX_FOLDER_DEPTH && !is_ignored(&entry) {
                open.push((entry.path(), depth + 1));
            }
        }
    }
    Ok(hasher.finish())
}

fn is_ignored(entry: &DirEntry) -> bool {
    let ignored = [".git", "node_modules", "__pycache__"];
    ignored.iter().any(|name| entry.file_name() == *name)
}

#[cfg(unix)]
fn hash_metadata(metadata: &Metadata, hasher: &mut impl Hasher) {
    use std::os::unix::fs::MetadataExt as _;
    [metadata.dev(), metadata.ino(), metadata.size()].hash(hasher);
    metadata.mode().hash(hasher);
    [metadata.mtime(), metadata.mtime_nsec()].hash(hasher);
    // The contents of a file can change while the modification time stays the same, but the change time
    // cannot stay the same.
    [metadata.ctime(), metadata.ctime_nsec()].hash(hasher);
}

#[cfg(not(unix))]
fn hash_metadata(metadata: &Metadata, hasher: &mut impl Hasher) {
    metadata.len().hash(hasher);
    metadata.modified().ok().hash(hasher);
    metadata.permissions().readonly().hash(hasher);
}

/// Lists a folder, sorted by name, up to the greatest number of entries.
fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let entries = fs::read_dir(folder)?.take(MAX_ENTRIES);
    let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}

fn combine_fingerprints(survey: &Survey) -> u64 {
    let mut hasher = new_hasher();
    for found in &survey.candidates {
        found.name.hash(&mut hasher);
        hasher.write_u64(found.fingerprint);
    }
    for problem in &survey.problems {
        problem.message.hash(&mut hasher);
    }
    hasher.finish()
}

fn new_hasher() -> impl Hasher {
    foldhash::quality::FixedState::default().build_hasher()
}
