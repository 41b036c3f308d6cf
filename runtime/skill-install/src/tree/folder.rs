//! Reads the files of a skill from a folder of this machine.

use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::path::Path;

use super::{LEFT_OUT, SkillTree};
use crate::error::InstallError;
use crate::limits::{MAX_DEPTH, MAX_FILES, MAX_SKILL_BYTES};

impl SkillTree {
    /// Reads a folder. Links are not followed, and are refused. `.git`, `.DS_Store`, `__pycache__` and `node_modules` are
    /// left out. Blocks on file access.
    ///
    /// # Errors
    /// When the folder cannot be read, or has content that [`insert`](Self::insert) refuses.
    pub fn read_folder(folder: &Path) -> Result<Self, InstallError> {
        Self::read_without(folder, &LEFT_OUT)
    }

    /// Reads a folder with all that it has, but for the names that are left out.
    pub(crate) fn read_without(folder: &Path, left_out: &[&str]) -> Result<Self, InstallError> {
        let mut tree = Self::default();
        let mut open = vec![(folder.to_owned(), String::new())];
        let mut entries = 0;
        while let Some((path, relative)) = open.pop() {
            let listed = fs::read_dir(&path).map_err(InstallError::io("read", &path))?;
            for entry in listed {
                let entry = entry.map_err(InstallError::io("read", &path))?;
                entries += 1;
                let name = entry.file_name();
                let Some(name) = name.to_str() else {
                    return Err(refused(&entry.path(), "its name is not UTF-8"));
                };
                if left_out.contains(&name) {
                    continue;
                }
                let relative = match relative.as_str() {
                    "" => name.to_owned(),
                    above => format!("{above}/{name}"),
                };
                let at = entry.path();
                let metadata = fs::symlink_metadata(&at).map_err(InstallError::io("read", &at))?;
                if metadata.is_dir() {
                    if relative.split('/').count() >= MAX_DEPTH || entries > 4 * MAX_FILES {
                        return Err(refused(&at, "there are at most 512 files, 16 folders deep"));
                    }
                    open.push((at, relative));
                } else if metadata.is_file() {
                    tree.insert(&relative, read(&at)?, is_executable(&metadata))?;
                } else {
                    return Err(refused(&at, "it is a link or another special file"));
                }
            }
        }
        Ok(tree)
    }
}

fn refused(path: &Path, reason: &str) -> InstallError {
    let shown = crate::error::shown(&path.display().to_string());
    InstallError::refused(format!("`{shown}`"), reason)
}

fn read(path: &Path) -> Result<Vec<u8>, InstallError> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(InstallError::io("read", path))?;
    let read = file.take(MAX_SKILL_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(InstallError::io("read", path))?;
    Ok(bytes)
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &Metadata) -> bool {
    false
}
