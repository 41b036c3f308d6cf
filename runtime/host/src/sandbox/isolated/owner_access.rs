//! Operations on folders whose permissions deny their owner access. A command can set such permissions, so that its
//! files are not found or cannot be moved; these operations widen the permissions and restore them afterwards.

use std::fs::{self, DirBuilder, ReadDir};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD, FileType, Mode, OFlags, accessat, chmodat, fstat, openat};

/// Creates a folder that other users cannot access, and its missing parents.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Opens a folder as a path descriptor (`O_PATH`), without reading it.
pub(super) fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}

/// Sets the permissions of an open folder. A path descriptor cannot change them, but its entry in /proc leads to
/// exactly that folder.
pub(super) fn set_mode(folder: &OwnedFd, mode: Mode) -> io::Result<()> {
    Ok(chmodat(CWD, proc_fd_path(folder), mode, AtFlags::empty())?)
}

/// Lists a folder whatever its permissions, if it belongs to this user. The paths of the entries may differ from
/// `folder`; their names are correct.
pub(super) fn list(folder: &Path) -> io::Result<ReadDir> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let opened = openat(CWD, folder, flags, Mode::empty())?;
            // The open directory stream stays readable after the permissions are restored.
            with_widened_access(&opened, || fs::read_dir(proc_fd_path(&opened)))
        }
        listed => listed,
    }
}

/// Like [`list`], for an open folder: the paths of the entries are valid as long as the folder is open.
pub(super) fn list_fd(folder: &OwnedFd) -> io::Result<ReadDir> {
    with_owner_access(folder, || fs::read_dir(proc_fd_path(folder)))
}

/// Reports whether nothing can be created in a folder, even with changed permissions. Commands run as no other user who
/// could.
pub(super) fn is_unwritable(folder: &OwnedFd) -> bool {
    let (path, flags) = (proc_fd_path(folder), AtFlags::EACCESS);
    let may = || Ok(accessat(CWD, path.as_str(), Access::WRITE_OK, flags)?);
    with_owner_access(folder, may).is_err()
}

/// Runs an operation in a folder whose permissions may deny it; if it is denied, runs it again with all permissions of
/// the owner.
pub(super) fn with_owner_access<T>(
    folder: &OwnedFd,
    mut work: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
    match work() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            with_widened_access(folder, work)
        }
        done => done,
    }
}

fn with_widened_access<T>(folder: &OwnedFd, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let before = fstat(folder.as_fd())?.st_mode;
    if !FileType::from_raw_mode(before).is_dir() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let before = Mode::from_raw_mode(before);
    set_mode(folder, before | Mode::RWXU)?;
    let done = work();
    set_mode(folder, before)?;
    done
}

/// Removes a folder and its contents, whatever the permissions of the folders in it; links are not followed.
pub(super) fn remove_all(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            widen_all(folder)?;
            fs::remove_dir_all(folder)
        }
        removed => removed,
    }
}

/// Gives the owner all permissions of a folder and of the folders in it.
fn widen_all(folder: &Path) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folders = vec![folder.to_owned()];
    while let Some(path) = folders.pop() {
        let opened = openat(CWD, &path, flags, Mode::empty())?;
        let mode = Mode::from_raw_mode(fstat(&opened)?.st_mode);
        set_mode(&opened, mode | Mode::RWXU)?;
        let entries = fs::read_dir(proc_fd_path(&opened))?.flatten();
        let inner = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.extend(inner.map(|entry| path.join(entry.file_name())));
    }
    Ok(())
}

/// Folders whose permissions are widened until this value is dropped. Every process that could change them is stopped
/// meanwhile.
#[derive(Debug, Default)]
pub(super) struct WidenedFolders(Vec<(OwnedFd, Mode)>);

impl WidenedFolders {
    /// Gives the owner all permissions of a folder, if this user owns the folder.
    pub(super) fn widen(&mut self, folder: OwnedFd) -> io::Result<()> {
        let before = Mode::from_raw_mode(fstat(folder.as_fd())?.st_mode);
        if !before.contains(Mode::RWXU) {
            set_mode(&folder, before | Mode::RWXU)?;
            self.0.push((folder, before));
        }
        Ok(())
    }
}

impl Drop for WidenedFolders {
    fn drop(&mut self) {
        for (folder, before) in self.0.drain(..).rev() {
            // The folder may be removed already.
            let _ = set_mode(&folder, before);
        }
    }
}

/// Returns a path that leads to an open folder, wherever the folder is.
pub(super) fn proc_fd_path(folder: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", folder.as_raw_fd())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::list;

    #[test]
    fn a_folder_without_permissions_is_listed_and_stays_as_it_was() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("folder");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("file"), "").unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o311)).unwrap();
        let names: Vec<_> = list(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["file"]);
        let mode = folder.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o311);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    }

    #[test]
    fn no_link_is_followed_to_change_permissions() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("folder");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o000)).unwrap();
        symlink(&folder, place.path().join("link")).unwrap();
        let _ = list(&place.path().join("link"));
        let mode = folder.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o000);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    }
}
