//! A parsed and checked skill.

mod file;
mod references;
mod skill_yaml;

use std::path::PathBuf;

use crate::codes;
use crate::front_matter::FrontMatter;
use crate::limits::MAX_SKILL_MD;
use crate::manifest::{self, Manifest};
use crate::options::Options;
use crate::problem::{Finding, Position};
use crate::report::Report;
use crate::walk::SkillFolder;

pub use file::FileInfo;

/// A skill without errors.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Skill {
    /// The name, in the normal form NFKC: lower-case words with hyphens, in every profile.
    pub name: String,
    /// The description.
    pub description: String,
    /// The name of the skill's folder.
    pub folder: String,
    /// The path of the folder.
    pub location: PathBuf,
    /// The name of the manifest file: `SKILL.md`, or `skill.md` in some profiles.
    pub manifest: String,
    /// The text of the manifest file.
    pub source: String,
    /// The byte offset of the body in `source`.
    pub body_start: usize,
    /// The fields of the front matter.
    pub front_matter: FrontMatter,
    /// All files, sorted by path, including the SKILL.md.
    pub files: Vec<FileInfo>,
}

impl Skill {
    /// Returns the body: the text after the front matter.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.source[self.body_start..]
    }

    /// Returns the file at a path relative to the skill's folder.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&FileInfo> {
        self.files.iter().find(|file| file.path == path)
    }
}

/// Reads and checks the skill in a folder; if there are errors, returns `None` and adds them to the report.
pub(crate) fn read(folder: SkillFolder, options: &Options, report: &mut Report) -> Option<Skill> {
    let mut sound = folder.has_no_errors;
    let mut said = Vec::new();
    let (source, manifest) = read_manifest(&folder, options, &mut said);
    let mut files = Vec::new();
    let mut texts = Vec::new();
    // A skill that exceeds the limits is not read to find further problems.
    if sound {
        for found in &folder.tree.files {
            let read = match found.path == folder.manifest {
                // The bytes that were checked are used again, and not read a second time.
                true => file::inspect_bytes(found, source.clone().into_bytes()),
                false if options.digests => file::read(found),
                false => Ok(file::from_listing(found)),
            };
            match read {
                Ok(read) => {
                    said.extend(
                        read.findings
                            .into_iter()
                            .map(|finding| (found.path.clone(), finding)),
                    );
                    texts.extend(read.text.map(|text| (found.path.clone(), text)));
                    files.extend(read.file);
                }
                Err(finding) => said.push((found.path.clone(), finding)),
            }
        }
    }
    said.extend(references::check(
        &folder,
        &source,
        manifest.body_start,
        &texts,
    ));
    said.extend(
        manifest
            .findings
            .into_iter()
            .map(|finding| (folder.manifest.clone(), finding)),
    );
    for (path, finding) in said {
        sound &= report.skill(&folder.name, &folder.path(&path), finding);
    }
    let (name, description) = manifest.name.zip(manifest.description).filter(|_| sound)?;
    Some(Skill {
        name,
        description,
        folder: folder.name,
        location: folder.location,
        manifest: folder.manifest,
        source,
        body_start: manifest.body_start,
        front_matter: manifest.front_matter,
        files,
    })
}

/// Reads the SKILL.md, and the `skill.yaml` beside it if the SKILL.md has no front matter.
fn read_manifest(
    folder: &SkillFolder,
    options: &Options,
    said: &mut Vec<(String, Finding)>,
) -> (String, Manifest) {
    let unreadable = |finding| (String::new(), Manifest::unreadable(finding));
    let Some(found) = folder.tree.file(&folder.manifest) else {
        return Default::default();
    };
    if found.size > MAX_SKILL_MD {
        let message = format!(
            "the file is {} bytes long; at most {MAX_SKILL_MD} are read",
            found.size
        );
        return unreadable(Finding::new(codes::FILE_SIZE, message).into_fatal());
    }
    let bytes = match file::bytes(&found.location, MAX_SKILL_MD) {
        Ok(bytes) => bytes,
        Err(finding) => return unreadable(finding),
    };
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            let message = format!("{} is not UTF-8", folder.manifest);
            let finding =
                Finding::new(codes::NOT_UTF8, message).with_position(Position::after(&before));
            return unreadable(finding);
        }
    };
    let manifest = manifest::read(&text, Some(&folder.name), options.profile);
    match skill_yaml::read_skill_yaml(folder, &text, &manifest, options.profile, said) {
        Some(instead) => (text, instead),
        None => (text, manifest),
    }
}
