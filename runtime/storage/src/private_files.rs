//! Files and folders that only their owner can access.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a folder and its parents, if they do not exist, without access for other users.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Returns options with which new files are created without access for other users. The caller sets the access mode.
pub fn options() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Returns options for reading and writing a file, which is created if it does not exist.
pub fn read_write() -> OpenOptions {
    let mut options = options();
    options.read(true).write(true).create(true).truncate(false);
    options
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn other_users_have_no_access() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("a/b");
        create_folder(&inner).expect("a folder");
        create_folder(&inner).expect("it exists already");
        let file = inner.join("f");
        read_write().open(&file).expect("a file");
        for path in [folder.path().join("a"), inner, file] {
            let mode = fs::metadata(&path).expect("it exists").mode();
            assert_eq!(mode & 0o077, 0, "{}", path.display());
        }
    }
}
