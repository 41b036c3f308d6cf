//! Files that are replaced atomically.

use std::ffi::OsString;
#[cfg(unix)]
use std::fs::File;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use helve_core::support::random;

/// The permissions of a replaced file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilePermissions {
    /// Access for the owner only, regardless of the permissions of the previous file: for secrets.
    OwnerOnly,
    /// The permissions of the previous file; a new file is accessible to its owner only.
    PreserveOrOwner,
    /// The permissions of the previous file; a new file has the permissions that the process's umask allows.
    PreserveOrUmask,
}

/// The replacement of a file: the content is written to a temporary file in the same folder, which is then renamed, so
/// that a reader sees either the old or the new content.
///
/// A link at the path is replaced, not followed. The folder must exist.
#[derive(Debug)]
pub struct AtomicFile<'p> {
    path: &'p Path,
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Unix has modes"))]
    permissions: FilePermissions,
    is_synced: bool,
}

impl<'p> AtomicFile<'p> {
    /// Creates the replacement of a file.
    pub fn new(path: &'p Path, access: FilePermissions) -> Self {
        Self {
            path,
            permissions: access,
            is_synced: true,
        }
    }

    /// Disables syncing: the operating system decides when to write to disk, and after a crash of the machine the file
    /// may be empty.
    pub fn without_sync(mut self) -> Self {
        self.is_synced = false;
        self
    }

    /// Replaces the file by the concatenation of these parts.
    ///
    /// On failure the file is unchanged, and the temporary file is removed.
    pub fn replace(&self, parts: &[&[u8]]) -> io::Result<()> {
        self.place(parts, |beside| fs::rename(beside, self.path))
    }

    /// Creates the file from the concatenation of these parts.
    ///
    /// # Errors
    ///
    /// Fails with [`io::ErrorKind::AlreadyExists`] if the file exists; the existing file is not changed.
    pub fn create(&self, parts: &[&[u8]]) -> io::Result<()> {
        self.place(parts, |beside| {
            // Creating a link fails if the name exists; a rename would replace the file.
            match fs::hard_link(beside, self.path) {
                Ok(()) => {
                    let _ = fs::remove_file(beside);
                    Ok(())
                }
                Err(error) if error.kind() == io::ErrorKind::Unsupported && !self.path.exists() => {
                    fs::rename(beside, self.path)
                }
                failed => failed,
            }
        })
    }

    fn place(
        &self,
        parts: &[&[u8]],
        publish: impl FnOnce(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        let beside = self.temporary_path()?;
        let placed = self.write(&beside, parts).and_then(|()| publish(&beside));
        if placed.is_err() {
            let _ = fs::remove_file(&beside);
            return placed;
        }
        if self.is_synced {
            self.sync_folder();
        }
        Ok(())
    }

    /// Returns the path of a file in the same folder that does not exist.
    fn temporary_path(&self) -> io::Result<PathBuf> {
        let Some(name) = self.path.file_name() else {
            let why = format!("`{}` does not name a file", self.path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        };
        let mut beside = OsString::from(".");
        // A long name with a suffix could be too long for the file system.
        let fits = name.len() <= 200;
        beside.push(if fits { name } else { "replaced".as_ref() });
        beside.push(format!(".{}.new", random::hex::<8>()));
        Ok(self.path.with_file_name(beside))
    }

    fn write(&self, beside: &Path, parts: &[&[u8]]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        // `create_new` does not follow a link at that path.
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, self.new_file_mode());
        let mut file = options.open(beside)?;
        // The permissions are set before the first byte is written, so that no reader without permission can open the
        // file.
        #[cfg(unix)]
        self.keep_metadata(&file)?;
        for part in parts {
            file.write_all(part)?;
        }
        if self.is_synced {
            file.sync_all()?;
        }
        Ok(())
    }

    #[cfg(unix)]
    fn new_file_mode(&self) -> u32 {
        match self.permissions {
            FilePermissions::PreserveOrUmask => 0o666,
            _ => 0o600,
        }
    }

    /// Copies the owner, the group and the mode of the replaced file to the new file.
    #[cfg(unix)]
    fn keep_metadata(&self, file: &File) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};

        if self.permissions == FilePermissions::OwnerOnly {
            return Ok(());
        }
        let Ok(old) = fs::symlink_metadata(self.path) else {
            return Ok(());
        };
        if !old.is_file() {
            return Ok(());
        }
        let new = file.metadata()?;
        // Only root can change the owner; a member of a group can set the group.
        if new.uid() != old.uid() {
            let _ = fchown(file, Some(old.uid()), None);
        }
        let has_group = new.gid() == old.gid() || fchown(file, None, Some(old.gid())).is_ok();
        // The permissions of one group must not apply to another group.
        let kept = if has_group { 0o777 } else { 0o707 };
        file.set_permissions(fs::Permissions::from_mode(old.mode() & kept))
    }

    /// Syncs the folder, so that the rename is on disk. Not every file system supports this, and the file is complete
    /// either way.
    fn sync_folder(&self) {
        #[cfg(unix)]
        {
            let folder = self.path.parent().filter(|folder| *folder != Path::new(""));
            let folder = File::open(folder.unwrap_or(Path::new(".")));
            let _ = folder.and_then(|folder| folder.sync_all());
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("a file").mode() & 0o777
    }

    #[test]
    fn a_new_file_has_the_mode_of_its_kind_and_an_old_one_keeps_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f");
        for access in [FilePermissions::OwnerOnly, FilePermissions::PreserveOrOwner] {
            AtomicFile::new(&path, access)
                .replace(&[b"a", b"b"])
                .expect("writable");
            assert_eq!(mode(&path), 0o600);
        }
        for (access, expected) in [
            (FilePermissions::PreserveOrOwner, 0o664),
            (FilePermissions::PreserveOrUmask, 0o664),
            (FilePermissions::OwnerOnly, 0o600),
        ] {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).expect("ours");
            AtomicFile::new(&path, access)
                .without_sync()
                .replace(&[b"c"])
                .expect("writable");
            assert_eq!(mode(&path), expected, "{access:?}");
        }
        assert_eq!(fs::read(&path).expect("a file"), b"c");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn a_link_is_replaced_and_what_it_leads_to_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "theirs").expect("writable");
        fs::set_permissions(&target, fs::Permissions::from_mode(0o666)).expect("ours");
        symlink(&target, &link).expect("a link");
        AtomicFile::new(&link, FilePermissions::PreserveOrOwner)
            .replace(&[b"ours"])
            .expect("writable");
        assert_eq!(fs::read(&target).expect("a file"), b"theirs");
        assert!(fs::symlink_metadata(&link).expect("a file").is_file());
        assert_eq!(mode(&link), 0o600);
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f");
        fs::create_dir_all(path.join("full")).expect("a folder");
        let replaced = AtomicFile::new(&path, FilePermissions::PreserveOrUmask).replace(&[b"x"]);
        assert!(replaced.is_err());
        assert!(path.join("full").is_dir());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn a_file_that_exists_is_not_created_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f");
        let file = AtomicFile::new(&path, FilePermissions::OwnerOnly);
        file.create(&[b"first"]).expect("the name is free");
        assert_eq!(mode(&path), 0o600);
        let error = file.create(&[b"second"]).expect_err("the name is taken");
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).expect("a file"), b"first");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn a_long_name_can_be_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("n".repeat(255));
        AtomicFile::new(&path, FilePermissions::OwnerOnly)
            .replace(&[b"x"])
            .expect("writable");
        assert_eq!(fs::read(&path).expect("a file"), b"x");
    }
}
