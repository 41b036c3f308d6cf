//! Archives that are transferred to and from the remote host.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use tar::{Archive, Builder, EntryType, Header};

use helve_core::sandbox::FsError;
use helve_core::sandbox::fs_error::display_path;

/// The greatest number of links in an archive, because links are stored in memory.
const MAX_LINKS: usize = 100_000;

/// Copies an archive entry by entry, and checks that all entries stay below its folder.
///
/// Owners and times are left out. Links that lead out of the folder are left out if `dropped` is set, and rejected
/// otherwise.
pub(super) fn copy_checked(
    archive: impl Read,
    out: impl Write,
    dropped: bool,
) -> Result<(), FsError> {
    let broken = |source: io::Error| FsError::Archive {
        entry: "archive".to_owned(),
        why: format!("cannot be read: {source}"),
    };
    let mut archive = Archive::new(archive);
    archive.set_ignore_zeros(true);
    let mut out = Builder::new(out);
    let mut links = BTreeSet::new();
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let path = entry.path().map_err(broken)?.into_owned();
        let refused = |why: &str| FsError::Archive {
            entry: display_path(&path),
            why: why.to_owned(),
        };
        let name = clean_path(&path).ok_or_else(|| refused("would not stay in its folder"))?;
        if name.ancestors().any(|above| links.contains(above)) {
            return Err(refused("is below a link of the same archive"));
        }
        if name.as_os_str().is_empty() {
            continue;
        }
        let mut header = plain_header(entry.header().mode().unwrap_or(0o644));
        match entry.header().entry_type() {
            EntryType::Directory => {
                header.set_entry_type(EntryType::Directory);
                header.set_mode(0o755);
                out.append_data(&mut header, &name, io::empty())
                    .map_err(broken)?;
            }
            EntryType::Regular | EntryType::Continuous => {
                header.set_size(entry.size());
                out.append_data(&mut header, &name, &mut entry)
                    .map_err(broken)?;
            }
            EntryType::Symlink => {
                let target = entry
                    .link_name()
                    .map_err(broken)?
                    .unwrap_or_default()
                    .into_owned();
                if !stays_inside(&name, &target) {
                    if dropped {
                        continue;
                    }
                    return Err(refused("is a link that leads out of its folder"));
                }
                if links.len() == MAX_LINKS {
                    return Err(refused("is one link too many"));
                }
                header.set_entry_type(EntryType::Symlink);
                out.append_link(&mut header, &name, &target)
                    .map_err(broken)?;
                links.insert(name);
            }
            // Another name of an earlier file, which keeps its contents.
            EntryType::Link if dropped => {
                let first = entry.link_name().map_err(broken)?.unwrap_or_default();
                let first =
                    clean_path(&first).ok_or_else(|| refused("would not stay in its folder"))?;
                let up = name.components().skip(1).map(|_| "..");
                header.set_entry_type(EntryType::Symlink);
                out.append_link(&mut header, &name, up.collect::<PathBuf>().join(first))
                    .map_err(broken)?;
            }
            EntryType::XGlobalHeader => {}
            _ => {
                return Err(refused(
                    "is neither a file, nor a folder, nor a symbolic link",
                ));
            }
        }
    }
    out.finish().map_err(broken)
}

/// Packs a folder of this machine: files, folders, and links whose target is in the folder.
pub(super) fn pack_folder(
    folder: &Path,
    skip: &dyn Fn(&Path) -> bool,
    out: impl Write,
) -> io::Result<()> {
    let mut out = Builder::new(out);
    let mut todo = vec![PathBuf::new()];
    while let Some(below) = todo.pop() {
        let mut names: Vec<_> = fs::read_dir(folder.join(&below))?.collect::<io::Result<_>>()?;
        names.sort_by_key(fs::DirEntry::file_name);
        for entry in names {
            let name = below.join(entry.file_name());
            let kind = entry.file_type()?;
            if skip(&name) {
                continue;
            }
            if kind.is_dir() {
                let mut header = plain_header(0o755);
                header.set_entry_type(EntryType::Directory);
                out.append_data(&mut header, &name, io::empty())?;
                todo.push(name);
            } else if kind.is_symlink() {
                let target = fs::read_link(entry.path())?;
                if stays_inside(&name, &target) {
                    let mut header = plain_header(0o777);
                    header.set_entry_type(EntryType::Symlink);
                    out.append_link(&mut header, &name, &target)?;
                }
            } else if kind.is_file() {
                let file = File::open(entry.path())?;
                let metadata = file.metadata()?;
                let mut header = plain_header(mode(&metadata));
                header.set_size(metadata.len());
                // A file that grows meanwhile is truncated; a file that shrinks is padded.
                let exact = file.chain(io::repeat(0)).take(metadata.len());
                out.append_data(&mut header, &name, exact)?;
            }
        }
    }
    out.finish()
}

fn mode(metadata: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode()
}

/// Returns a header without owner and time.
fn plain_header(mode: u32) -> Header {
    let mut header = Header::new_gnu();
    header.set_mode(if mode & 0o111 == 0 { 0o644 } else { 0o755 });
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(0);
    header
}

/// Normalises the path of an entry; `None` if the path is absolute or leads upward.
fn clean_path(path: &Path) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => clean.push(name),
            _ => return None,
        }
    }
    Some(clean)
}

/// Reports whether the text of a link leads to a path below the folder that `link` is relative to.
///
/// Only leading `..` components are accepted: after a name, which may be a link itself, a `..` could lead anywhere.
fn stays_inside(link: &Path, target: &Path) -> bool {
    let mut depth = link.components().count().saturating_sub(1);
    let mut named = false;
    for component in target.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(_) => named = true,
            Component::ParentDir if !named && depth > 0 => depth -= 1,
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests panic")]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::{Duration, SystemTime};

    use super::*;

    fn tree(names: &[&str], age: u64) -> (tempfile::TempDir, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("scripts")).unwrap();
        for name in names {
            let path = folder.path().join(name);
            fs::write(&path, name).unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            let then = SystemTime::now() - Duration::from_secs(age);
            file.set_modified(then).unwrap();
            let mode = if name.ends_with(".sh") { 0o555 } else { 0o444 };
            file.set_permissions(Permissions::from_mode(mode)).unwrap();
        }
        let mut archive = Vec::new();
        pack_folder(folder.path(), &|_| false, &mut archive).unwrap();
        (folder, archive)
    }

    #[test]
    fn the_same_files_make_the_same_archive() {
        let (_one, first) = tree(&["b", "a", "scripts/x.sh", "scripts/c"], 0);
        let (_other, second) = tree(&["scripts/c", "scripts/x.sh", "a", "b"], 1_000_000);
        assert!(first == second);
    }
}
