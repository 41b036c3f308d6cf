//! Folders of skills that are written: each is whole, or not there.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Says why a folder was not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum WriteSkillError {
    #[error("`{}` is there already{hint}", path.display())]
    Exists { path: PathBuf, hint: &'static str },
    #[error("`{}` cannot be written", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// A file to write.
pub(super) struct NewFile {
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
    pub(super) executable: bool,
}

/// Writes a folder beside its place, and renames it there; what is at the place goes first, if it may.
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

/// Puts one folder in the place of what is there, and returns where that is then.
fn exchange(staged: &Path, at: &Path) -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        // At no moment is there nothing at the place.
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
