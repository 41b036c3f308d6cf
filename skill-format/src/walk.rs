//! What lies in the folder: its skills and their files, in sorted order.

use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use crate::codes;
use crate::report::{Finding, Report};

/// The file that makes a folder a skill.
pub const SKILL_MD: &str = "SKILL.md";

/// What tools leave behind: never part of a skill.
const LEFT_OUT: &[&str] = &[".git", ".DS_Store", "__pycache__", "node_modules"];

/// A direct subfolder that has a SKILL.md.
#[derive(Debug)]
pub(crate) struct SkillFolder {
    pub(crate) name: String,
    /// Every file, sorted by path.
    pub(crate) files: Vec<FoundFile>,
}

/// A file of a skill.
#[derive(Debug)]
pub(crate) struct FoundFile {
    /// The path below the skill's folder, with `/` on every system.
    pub(crate) path: String,
    /// Where it is on this machine.
    pub(crate) location: PathBuf,
}

/// Finds the skills in `root`, sorted by name. What is wrong goes to the report.
pub(crate) fn walk(root: &Path, report: &mut Report) -> Vec<SkillFolder> {
    if !root.is_dir() {
        let message = if root.exists() {
            "this is not a folder"
        } else {
            "there is no such folder"
        };
        let finding = Finding::new(codes::FOLDER_MISSING, message);
        report
            .folder(finding.help("the path is relative to the folder of the package's Cargo.toml"));
        return Vec::new();
    }
    let entries = match entries(root) {
        Ok(entries) => entries,
        Err(error) => {
            report.folder(unreadable(&error));
            return Vec::new();
        }
    };
    let mut subfolders = 0;
    let mut skills = Vec::new();
    for entry in entries {
        // A loose file beside the skills (a README, a licence) belongs to none of them.
        if !entry.path().is_dir() {
            continue;
        }
        subfolders += 1;
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            let lossy = name.to_string_lossy();
            report.skill(&lossy, &lossy, not_utf8());
            continue;
        };
        skills.extend(skill_folder(name, &entry, report));
    }
    report.count_skills(subfolders);
    if subfolders == 0 {
        let finding = Finding::new(codes::NO_SKILLS, "the folder holds no skills");
        report.folder(finding.help(format!(
            "a skill is a folder with a {SKILL_MD}, as in `pdf/{SKILL_MD}`"
        )));
    }
    skills
}

/// Collects the files of one subfolder; `None`, and a word in the report, if it is not a skill.
fn skill_folder(name: &str, entry: &DirEntry, report: &mut Report) -> Option<SkillFolder> {
    if entry.path().is_symlink() {
        report.skill(name, name, symlink(&entry.path()));
        return None;
    }
    let mut files = Vec::new();
    // Not recursive: how deep folders nest is not ours to say.
    let mut pending = vec![(String::new(), entry.path())];
    while let Some((prefix, folder)) = pending.pop() {
        let entries = match entries(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                report.skill(name, &format!("{name}/{prefix}"), unreadable(&error));
                continue;
            }
        };
        for entry in entries {
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            match classify(&entry) {
                Ok(Kind::File) => files.push(FoundFile {
                    path,
                    location: entry.path(),
                }),
                Ok(Kind::Folder) => pending.push((format!("{path}/"), entry.path())),
                Err(finding) => report.skill(name, &format!("{name}/{path}"), finding),
            }
        }
    }
    files.sort_by(|left, right| left.path.cmp(&right.path));
    if !files.iter().any(|file| file.path == SKILL_MD) {
        report.skill(name, name, skill_md_missing(&files));
        return None;
    }
    Some(SkillFolder {
        name: name.to_owned(),
        files,
    })
}

enum Kind {
    File,
    Folder,
}

fn classify(entry: &DirEntry) -> Result<Kind, Finding> {
    // The entry's own type, never that of a link's target.
    let kind = entry.file_type().map_err(|error| unreadable(&error))?;
    if entry.file_name().to_str().is_none() {
        Err(not_utf8())
    } else if kind.is_symlink() {
        Err(symlink(&entry.path()))
    } else if kind.is_dir() {
        Ok(Kind::Folder)
    } else if kind.is_file() {
        Ok(Kind::File)
    } else {
        Err(Finding::new(
            codes::UNREADABLE,
            "this is neither a file nor a folder",
        ))
    }
}

/// Lists a folder in sorted order, without what is left out.
fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.retain(|entry| {
        !LEFT_OUT
            .iter()
            .any(|left_out| entry.file_name() == *left_out)
    });
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}

fn skill_md_missing(files: &[FoundFile]) -> Finding {
    let finding = Finding::new(
        codes::SKILL_MD_MISSING,
        format!("the folder has no {SKILL_MD}"),
    );
    if let Some(file) = files
        .iter()
        .find(|file| file.path.eq_ignore_ascii_case(SKILL_MD))
    {
        return finding.help(format!("rename `{}` to `{SKILL_MD}`", file.path));
    }
    if files
        .iter()
        .any(|file| file.path.ends_with(&format!("/{SKILL_MD}")))
    {
        return finding
            .help("there are skills deeper inside: name this folder to include_skills! instead");
    }
    finding.help(format!("add a {SKILL_MD}, or move the folder elsewhere"))
}

fn symlink(path: &Path) -> Finding {
    let message = match fs::read_link(path) {
        Ok(target) => format!("this is a symbolic link, to `{}`", target.display()),
        Err(_) => "this is a symbolic link".to_owned(),
    };
    Finding::new(codes::SYMLINK, message).help("a skill carries its files itself: put a copy here")
}

fn not_utf8() -> Finding {
    Finding::new(codes::PATH_NOT_UTF8, "the name is not UTF-8").help("rename it")
}

/// A file or folder that the system does not let us read.
pub(crate) fn unreadable(error: &io::Error) -> Finding {
    Finding::new(codes::UNREADABLE, format!("this cannot be read: {error}"))
}
