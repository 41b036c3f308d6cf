//! Reads one skill of a folder: checks, describes and scans its files.

use std::path::Path;

use helve_skill_format::codes::{self, Code};
use helve_skill_format::{FileInfo, Options, Profile, Severity};

use super::survey::CandidateFolder;
use crate::scan;
use crate::{Skill, SkillFile, SkillOrigin, SkillProblem};

/// The codes that are reported to the author of a skill, and that its user cannot act on.
const AUTHOR_ONLY_CODES: &[Code] = &[
    codes::BODY_LINES,
    codes::BODY_TOKENS,
    codes::BROKEN_LINK,
    codes::DEEP_REFERENCE,
    codes::ESCAPING_LINK,
    codes::INVISIBLE_CHARACTERS,
    codes::NOT_EXECUTABLE,
];

#[derive(Debug, Clone)]
pub(super) struct SubfolderContents {
    pub(super) skill: Option<Skill>,
    pub(super) files: Vec<FileInfo>,
    pub(super) problems: Vec<SkillProblem>,
}

pub(super) fn read(
    found: &CandidateFolder,
    folder: &Path,
    origin: &SkillOrigin,
) -> SubfolderContents {
    let shown = folder.join(&found.name).display().to_string();
    let options = Options::new().profile(Profile::Lenient);
    let collection = helve_skill_format::read_skill(&found.folder, &shown, &options);
    let problems = collection.problems.iter();
    let problems = problems.filter(|problem| !AUTHOR_ONLY_CODES.contains(&problem.code));
    let problems = problems.map(|problem| {
        let said = problem.to_string();
        let said = match problem.severity {
            Severity::Error => SkillProblem::error(said),
            Severity::Warning => SkillProblem::warning(said),
        };
        said.with_skill(&found.name).with_folder(&found.folder)
    });
    let mut reading = SubfolderContents {
        skill: None,
        files: Vec::new(),
        problems: problems.collect(),
    };
    if let Some(skill) = collection.skills.into_iter().next() {
        reading.skill = Some(build_skill(&skill, found, origin));
        reading.files = skill.files;
    }
    reading
}

fn build_skill(
    skill: &helve_skill_format::Skill,
    found: &CandidateFolder,
    origin: &SkillOrigin,
) -> Skill {
    let mut builder = Skill::builder(&skill.name, &skill.description, origin.clone())
        .text(&skill.source, skill.body_start)
        .front_matter(skill.front_matter.clone())
        .folder(&found.folder);
    for file in &skill.files {
        if let (Some(sha256), Some(utf8)) = (&file.sha256, file.utf8) {
            let mut described = SkillFile::new(&file.path, file.size, sha256);
            (described.executable, described.utf8) = (file.executable, utf8);
            builder = builder.file(described);
        }
    }
    builder.findings(scan::scan_skill(skill)).build()
}
