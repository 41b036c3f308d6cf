//! Writes the folder of a skill atomically.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The reason why a folder was not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum WriteSkillError {
    #[error("`{}` already exists{hint}", path.display())]
    Exists { path: PathBuf, hint: &'static str },
    #[error("failed to write `{}`", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

pub(super) struct NewFile {
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
    pub(super) executable: bool,
}

/// Writes a temporary folder, and renames it. An existing folder is removed if `replaces` is set.
pub(super) fn write_skill(
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
    let staged = folder.join(format!(".{name}.new-{}", std::process::id()));
    let written = write_files(&staged, files).and_then(|()| {
        if fs::symlink_metadata(&at).is_ok() && replaces {
            return exchange(&staged, &at).and_then(remove_path);
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

fn remove_path(path: PathBuf) -> io::Result<()> {
    if fs::symlink_metadata(&path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}
