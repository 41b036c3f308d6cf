//! The files on the other side.

mod changes;
mod explain;

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::future::BoxFuture;

use super::archive::copy_checked;
#[cfg(feature = "docker")]
use super::host::failure;
use super::host::{Arg, RemoteCall, RemoteHost, Reply, UPLOAD_TIMEOUT, arg, path_arg};
use super::pipe::{PipeReader, PipeWriter};
use super::transport::{CommandInput, invalid_data};
use helve_core::sandbox::fs_error::display_path;
use helve_core::sandbox::{
    Change, DirEntry, FileKind, FileSlice, FileVersion, FsError, Listing, Metadata, PathResolution,
    ReadHandle, ReadRange, ResolvedPath, SandboxFs,
};

/// Files of a sandbox that is somewhere else, below chosen roots.
///
/// A script there follows all links and compares the result with the root, then opens it: see
/// [`PathResolution::Canonicalised`].
#[derive(Debug, Clone)]
pub(crate) struct RemoteFs {
    host: RemoteHost,
    roots: Arc<Vec<PathBuf>>,
}

/// The most bytes that the names of one folder take.
const NAMES: usize = 32 << 20;

impl RemoteFs {
    /// Opens folders of the other side; they are absolute, and without links.
    pub(crate) fn new(host: RemoteHost, roots: Vec<PathBuf>) -> Self {
        Self {
            host,
            roots: Arc::new(roots),
        }
    }

    /// Finds the root of a path, and the whole path.
    fn at(&self, path: &Path) -> Result<(&Path, PathBuf), FsError> {
        if path.as_os_str().as_encoded_bytes().contains(&0) {
            let path = display_path(path);
            return Err(FsError::InvalidPath {
                path,
                reason: "the path contains a NUL byte",
            });
        }
        let first = self.roots.first().ok_or_else(|| self.outside(path))?;
        let whole: PathBuf = first.join(path).components().collect();
        let of = |root: &&PathBuf| whole.starts_with(root);
        // Of roots in roots, the nearest.
        let root = self
            .roots
            .iter()
            .filter(of)
            .max_by_key(|root| root.as_os_str().len());
        let root = root.ok_or_else(|| self.outside(path))?;
        let mut depth = 0usize;
        for component in whole.strip_prefix(root).unwrap_or(&whole).components() {
            match component {
                Component::ParentDir => {
                    depth = depth.checked_sub(1).ok_or_else(|| self.outside(path))?
                }
                _ => depth += 1,
            }
        }
        Ok((root, whole))
    }

    fn outside(&self, path: &Path) -> FsError {
        let roots = self.roots.iter().map(|root| display_path(root)).collect();
        FsError::Outside {
            path: display_path(path),
            roots,
        }
    }

    /// Makes the words of a question about a path.
    fn words(&self, operation: &str, path: &Path, more: &[&str]) -> Result<Vec<Arg>, FsError> {
        let (root, whole) = self.at(path)?;
        let mut words = vec![
            arg("files"),
            arg(operation),
            path_arg(root),
            path_arg(&whole),
        ];
        words.extend(more.iter().map(arg));
        Ok(words)
    }

    /// Asks about a path, again where the connection broke.
    async fn ask(&self, words: Vec<Arg>, path: &Path, bytes: usize) -> Result<Reply, FsError> {
        let question = || RemoteCall::new(words.clone()).bytes(bytes);
        let reply = self
            .host
            .call_idempotent(question)
            .await
            .map_err(|source| lost(path, source))?;
        self.expect_ok(reply, &[path]).await
    }

    async fn metadata_of(&self, path: &Path) -> Result<Metadata, FsError> {
        let reply = self.ask(self.words("stat", path, &[])?, path, 0).await?;
        metadata(reply.line_rest()).ok_or_else(|| invalid_reply(path, &reply))
    }

    async fn opened(&self, path: &Path) -> Result<ReadHandle, FsError> {
        let described = self.metadata_of(path).await?;
        let words = self.words("read", path, &["0", "9000000000000000000"])?;
        let (reply, parts) = self
            .host
            .fetch(&words)
            .await
            .map_err(|source| lost(path, source))?;
        let mut reply = self.expect_ok(reply, &[path]).await?;
        let start = std::mem::take(&mut reply.body);
        let len = reply
            .line_rest()
            .parse()
            .map_err(|_| invalid_reply(path, &reply))?;
        let mut metadata = Metadata::new(FileKind::File, len, described.modified);
        metadata.version = described.version;
        metadata.executable = described.executable;
        Ok(ReadHandle::new(metadata, PipeReader::new(start, parts)))
    }

    async fn read_slice(&self, path: &Path, range: ReadRange) -> Result<FileSlice, FsError> {
        let max = range.max.min(ReadRange::LIMIT);
        let (offset, more) = (range.offset.to_string(), (max + 1).to_string());
        let words = self.words("read", path, &[&offset, &more])?;
        let reply = self.ask(words, path, max + 1).await?;
        let len: u64 = reply
            .line_rest()
            .parse()
            .map_err(|_| invalid_reply(path, &reply))?;
        let mut bytes = reply.body;
        // Where a file has no size, one byte more than wanted shows whether there is more.
        let reached = if bytes.is_empty() {
            0
        } else {
            range.offset + bytes.len() as u64
        };
        bytes.truncate(max);
        Ok(FileSlice::new(bytes, len.max(reached)))
    }

    async fn list_folder(&self, path: &Path) -> Result<Listing, FsError> {
        let limit = (Listing::LIMIT + 1).to_string();
        let reply = self
            .ask(self.words("list", path, &[&limit])?, path, NAMES)
            .await?;
        let mut entries: Vec<DirEntry> = reply
            .body
            .split(|&byte| byte == 0)
            .filter_map(|entry| entry.split_first())
            .map(|(&kind, name)| {
                DirEntry::new(OsString::from_vec(name.to_vec()), kind_of_letter(kind))
            })
            .collect();
        // One name more than are wanted shows that there are more.
        let truncated = entries.len() > Listing::LIMIT;
        entries.truncate(Listing::LIMIT);
        Ok(Listing::new(entries, truncated))
    }

    async fn resolve_path(&self, path: &Path) -> Result<ResolvedPath, FsError> {
        let (root, _) = self.at(path)?;
        let mut reply = self
            .ask(self.words("resolve", path, &[])?, path, 64 << 10)
            .await?;
        let absolute = PathBuf::from(OsString::from_vec(std::mem::take(&mut reply.body)));
        let relative = absolute
            .strip_prefix(root)
            .map_err(|_| invalid_reply(path, &reply))?
            .to_owned();
        let display = match self
            .roots
            .first()
            .and_then(|first| absolute.strip_prefix(first).ok())
        {
            Some(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
            Some(inside) => display_path(inside),
            None => display_path(&absolute),
        };
        Ok(ResolvedPath::new(display, relative, absolute))
    }

    async fn packed(&self, path: &Path) -> Result<Box<dyn Read + Send>, FsError> {
        let words = self.words("pack", path, &[])?;
        let (reply, parts) = self
            .host
            .fetch(&words)
            .await
            .map_err(|source| lost(path, source))?;
        let mut reply = self.expect_ok(reply, &[path]).await?;
        let theirs = PipeReader::new(std::mem::take(&mut reply.body), parts);
        let (mut writer, ours) = PipeWriter::new();
        tokio::task::spawn_blocking(move || {
            let done = copy_checked(theirs, &mut writer, true).map_err(std::io::Error::other);
            writer.finish(done);
        });
        Ok(Box::new(PipeReader::new(Vec::new(), ours)))
    }

    /// Fills a root with an archive that this process made itself.
    #[cfg(feature = "docker")]
    pub(crate) async fn fill(
        &self,
        root: &Path,
        archive: CommandInput,
    ) -> Result<(), helve_core::sandbox::SandboxError> {
        let failed =
            |error: FsError| failure("copying the workspace", std::io::Error::other(error));
        let words = self
            .words("unpack", root, &[&super::id::nonce()])
            .map_err(failed)?;
        let question = RemoteCall::new(words)
            .input(archive)
            .with_extra_time(UPLOAD_TIMEOUT);
        let reply = self
            .host
            .ask(question)
            .await
            .map_err(|source| failure("copying the workspace", source))?;
        self.expect_ok(reply, &[root])
            .await
            .map(drop)
            .map_err(failed)
    }

    async fn unpack_into(&self, path: &Path, archive: Box<dyn Read + Send>) -> Result<(), FsError> {
        let nonce = super::id::nonce();
        let words = self.words("unpack", path, &[&nonce])?;
        let (mut writer, parts) = PipeWriter::new();
        let check = tokio::task::spawn_blocking(move || {
            let done = copy_checked(archive, &mut writer, false);
            let cut = if done.is_ok() {
                Ok(())
            } else {
                Err(std::io::ErrorKind::InvalidData.into())
            };
            writer.finish(cut);
            done
        });
        let question = RemoteCall::new(words)
            .input(CommandInput::Parts(parts))
            .with_extra_time(UPLOAD_TIMEOUT);
        let asked = self.host.ask(question).await;
        let reply = match asked {
            Ok(reply) => self.expect_ok(reply, &[path]).await,
            Err(source) => Err(lost(path, source)),
        };
        // What is wrong with the archive says more than that it was cut off.
        if let Ok(Err(refused)) = check.await
            && matches!(&refused, FsError::Archive { .. })
            && reply.is_err()
        {
            return Err(refused);
        }
        reply.map(drop)
    }
}

impl SandboxFs for RemoteFs {
    fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    fn resolution(&self) -> PathResolution {
        PathResolution::Canonicalised
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<ResolvedPath, FsError>> {
        Box::pin(self.resolve_path(path))
    }

    fn metadata<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Metadata, FsError>> {
        Box::pin(self.metadata_of(path))
    }

    fn read<'a>(
        &'a self,
        path: &'a Path,
        range: ReadRange,
    ) -> BoxFuture<'a, Result<FileSlice, FsError>> {
        Box::pin(self.read_slice(path, range))
    }

    fn open<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<ReadHandle, FsError>> {
        Box::pin(self.opened(path))
    }

    fn read_dir<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Listing, FsError>> {
        Box::pin(self.list_folder(path))
    }

    fn apply(&self, changes: Vec<Change>) -> BoxFuture<'_, Result<Vec<Metadata>, FsError>> {
        Box::pin(self.apply_changes(changes))
    }

    fn create_dir<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<(), FsError>> {
        Box::pin(async move {
            self.ask(self.words("create", path, &[])?, path, 0)
                .await
                .map(drop)
        })
    }

    fn remove_dir_all<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<(), FsError>> {
        Box::pin(async move {
            self.ask(self.words("remove", path, &[])?, path, 0)
                .await
                .map(drop)
        })
    }

    fn pack<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Box<dyn Read + Send>, FsError>> {
        Box::pin(self.packed(path))
    }

    fn unpack<'a>(
        &'a self,
        path: &'a Path,
        archive: Box<dyn Read + Send>,
    ) -> BoxFuture<'a, Result<(), FsError>> {
        Box::pin(self.unpack_into(path, archive))
    }
}

/// Makes the error of a reply without an entry for a path.
fn lost(path: &Path, source: std::io::Error) -> FsError {
    FsError::Io {
        path: display_path(path),
        source,
    }
}

fn invalid_reply(path: &Path, reply: &Reply) -> FsError {
    lost(
        path,
        invalid_data(format!("`{}` was answered", reply.line())),
    )
}

/// Reads `MODE SIZE SECONDS VERSION`, the mode in hexadecimal digits.
fn metadata(line: &str) -> Option<Metadata> {
    let mut words = line.splitn(4, ' ');
    let mode = u32::from_str_radix(words.next()?, 16).ok()?;
    let size = words.next()?.parse().ok()?;
    let seconds = words.next()?.parse().ok()?;
    let version = words.next()?;
    let modified = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
    let mut metadata = Metadata::new(kind_of_mode(mode), size, modified);
    metadata.version = Some(FileVersion::new(version));
    metadata.executable = mode & 0o111 != 0;
    Some(metadata)
}

fn kind_of_mode(mode: u32) -> FileKind {
    match mode & 0o170_000 {
        0o100_000 => FileKind::File,
        0o040_000 => FileKind::Directory,
        0o120_000 => FileKind::Symlink,
        0o010_000 => FileKind::Fifo,
        0o140_000 => FileKind::Socket,
        0o020_000 => FileKind::CharDevice,
        0o060_000 => FileKind::BlockDevice,
        _ => FileKind::Other,
    }
}

fn kind_of_letter(letter: u8) -> FileKind {
    match letter {
        b'f' => FileKind::File,
        b'd' => FileKind::Directory,
        b'l' => FileKind::Symlink,
        b'p' => FileKind::Fifo,
        b's' => FileKind::Socket,
        b'c' => FileKind::CharDevice,
        b'b' => FileKind::BlockDevice,
        _ => FileKind::Other,
    }
}
