//! Writes the folder of a skill atomically.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use helve_core::support::random;

/// The reason why a folder was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteSkillError {
    /// The folder exists already.
    #[error("`{}` already exists{hint}", path.display())]
    Exists {
        /// The path of the folder.
        path: PathBuf,
        /// What to do, after a line break.
        hint: &'static str,
    },
    /// A file could not be written.
    #[error("failed to write `{}`", path.display())]
    Io {
        /// The path of the folder.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
}

/// A file of a skill to be written.
#[derive(Debug, Clone)]
pub struct NewFile {
    /// The path, relative to the skill's folder, with `/` as the separator.
    pub path: String,
    /// The contents.
    pub bytes: Vec<u8>,
    /// Whether the file is executable.
    pub executable: bool,
}

impl WriteSkillError {
    /// Creates the error of a folder that exists already.
    #[must_use]
    pub fn exists(path: PathBuf, hint: &'static str) -> Self {
        Self::Exists { path, hint }
    }
}

/// Writes a skill into a folder of skills: a temporary folder is written and renamed, so that no part of the skill is ever
/// visible. An existing folder is replaced if `replaces` is set. Blocks on file access.
///
/// # Errors
/// When the folder exists and is not replaced, or cannot be written. An existing folder is then as it was.
pub fn write_skill(
    folder: &Path,
    name: &str,
    files: &[NewFile],
    replaces: bool,
) -> Result<PathBuf, WriteSkillError> {
    let at = folder.join(name);
    let failed = |source| WriteSkillError::Io {
        path: at.clone(),
        source,
    };
    fs::create_dir_all(folder).map_err(failed)?;
    let staged = folder.join(format!(".{name}.new-{}", random::hex::<4>()));
    let written = write_files(&staged, files).and_then(|()| {
        if fs::symlink_metadata(&at).is_ok() && replaces {
            // The new folder is there, also if the old one cannot be removed as a whole.
            let old = exchange(&staged, &at)?;
            if let Err(error) = remove_path(&old) {
                tracing::warn!(path = %old.display(), %error, "a replaced folder stays");
            }
            return Ok(());
        }
        if fs::symlink_metadata(&at).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        fs::rename(&staged, &at)
    });
    written.map_err(|error| {
        let _ = fs::remove_dir_all(&staged);
        failed(error)
    })?;
    Ok(at)
}

/// Replaces an existing folder, and returns the path of the old folder.
fn exchange(staged: &Path, at: &Path) -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        // The exchange is atomic: the path exists at all times.
        if renameat_with(CWD, staged, CWD, at, RenameFlags::EXCHANGE).is_ok() {
            return Ok(staged.to_owned());
        }
    }
    let old = staged.with_extension("old");
    fs::rename(at, &old)?;
    if let Err(error) = fs::rename(staged, at) {
        let _ = fs::rename(&old, at);
        return Err(error);
    }
    Ok(old)
}

fn write_files(folder: &Path, files: &[NewFile]) -> io::Result<()> {
    fs::create_dir(folder)?;
    for file in files {
        let path = folder.join(&file.path);
        if let Some(above) = path.parent() {
            fs::create_dir_all(above)?;
        }
        let mut written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)?;
        written.write_all(&file.bytes)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = if file.executable { 0o755 } else { 0o644 };
            written.set_permissions(fs::Permissions::from_mode(mode))?;
        }
        #[cfg(not(unix))]
        let _ = file.executable;
        written.sync_all()?;
    }
    Ok(())
}

fn remove_path(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}
