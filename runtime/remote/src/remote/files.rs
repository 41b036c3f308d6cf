//! The files of a remote host.

mod changes;
mod explain;

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::archive::copy_checked;
#[cfg(feature = "docker")]
use super::host::failure;
use super::host::{Arg, HostReply, RemoteCall, RemoteHost, UPLOAD_TIMEOUT, arg, nonce, path_arg};
use super::pipe::{PipeReader, PipeWriter};
use super::transport::{CommandInput, invalid_data};
use helve_core::sandbox::fs_error::display_path;
use helve_core::sandbox::{
    Change, DirEntry, FileKind, FileSlice, FileVersion, FsError, Listing, Metadata, PathResolution,
    ReadHandle, ReadRange, ResolvedPath, SandboxFs,
};
use helve_host::sandbox::{FsFuture, display_below};

/// Files of a remote sandbox, below chosen roots.
///
/// A remote script resolves all links, compares the result with the root, and then opens the file: see
/// [`PathResolution::Canonicalised`].
#[derive(Debug, Clone)]
pub(crate) struct RemoteFs {
    host: RemoteHost,
    roots: Arc<Vec<PathBuf>>,
}

/// The size limit of the names of one folder, in bytes.
const NAMES: usize = 32 << 20;

impl RemoteFs {
    /// Creates the file system of a remote host; the roots are absolute paths without links.
    pub(crate) fn new(host: RemoteHost, roots: Vec<PathBuf>) -> Self {
        Self {
            host,
            roots: Arc::new(roots),
        }
    }

    /// Returns the root of a path, and the absolute path.
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
        // If roots nest, the innermost root is used.
        let holding = self.roots.iter().filter(|root| whole.starts_with(root));
        let root = holding.max_by_key(|root| root.as_os_str().len());
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

    /// Returns the arguments of a call for a path.
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

    /// Calls the scripts for a path, and retries if the connection breaks.
    async fn ask(
        &self,
        operation: &str,
        path: &Path,
        more: &[&str],
        bytes: usize,
    ) -> Result<HostReply, FsError> {
        let words = self.words(operation, path, more)?;
        let call = || RemoteCall::new(words.clone()).bytes(bytes);
        let reply = self.host.call_idempotent(call).await;
        let reply = reply.map_err(|source| lost(path, source))?;
        self.expect_ok(reply, &[path]).await
    }

    /// Fetches the bytes of a reply of any length for a path.
    async fn fetch(
        &self,
        operation: &str,
        path: &Path,
        more: &[&str],
    ) -> Result<(HostReply, PipeReader), FsError> {
        let words = self.words(operation, path, more)?;
        let fetched = self.host.fetch(&words).await;
        let (reply, parts) = fetched.map_err(|source| lost(path, source))?;
        let mut reply = self.expect_ok(reply, &[path]).await?;
        let start = std::mem::take(&mut reply.body);
        Ok((reply, PipeReader::new(start, parts)))
    }

    async fn metadata_of(&self, path: &Path) -> Result<Metadata, FsError> {
        let reply = self.ask("stat", path, &[], 0).await?;
        metadata(reply.line_rest()).ok_or_else(|| invalid_reply(path, &reply))
    }

    fn unpack_call(&self, path: &Path, archive: CommandInput) -> Result<RemoteCall, FsError> {
        let words = self.words("unpack", path, &[&nonce()])?;
        Ok(RemoteCall::new(words)
            .input(archive)
            .with_extra_time(UPLOAD_TIMEOUT))
    }

    /// Fills a root with an archive that this process created itself.
    #[cfg(feature = "docker")]
    pub(crate) async fn fill(
        &self,
        root: &Path,
        archive: CommandInput,
    ) -> Result<(), helve_core::sandbox::SandboxError> {
        let doing = "copying the workspace";
        let failed = |error: FsError| failure(doing, std::io::Error::other(error));
        let call = self.unpack_call(root, archive).map_err(failed)?;
        let reply = self.host.ask(call).await;
        let reply = reply.map_err(|source| failure(doing, source))?;
        let checked = self.expect_ok(reply, &[root]).await;
        checked.map(drop).map_err(failed)
    }
}

impl SandboxFs for RemoteFs {
    fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    fn resolution(&self) -> PathResolution {
        PathResolution::Canonicalised
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ResolvedPath> {
        Box::pin(async move {
            let (root, _) = self.at(path)?;
            let mut reply = self.ask("resolve", path, &[], 64 << 10).await?;
            let absolute = PathBuf::from(OsString::from_vec(std::mem::take(&mut reply.body)));
            let relative = absolute
                .strip_prefix(root)
                .map_err(|_| invalid_reply(path, &reply))?
                .to_owned();
            let display = display_below(self.roots.first(), &absolute);
            Ok(ResolvedPath::new(display, relative, absolute))
        })
    }

    fn metadata<'a>(&'a self, path: &'a Path) -> FsFuture<'a, Metadata> {
        Box::pin(self.metadata_of(path))
    }

    fn read<'a>(&'a self, path: &'a Path, range: ReadRange) -> FsFuture<'a, FileSlice> {
        Box::pin(async move {
            let max = range.max.min(ReadRange::LIMIT);
            let (offset, more) = (range.offset.to_string(), (max + 1).to_string());
            let reply = self.ask("read", path, &[&offset, &more], max + 1).await?;
            let len = parse_length(path, &reply)?;
            let mut bytes = reply.body;
            // For a file that reports no size, one byte more than requested shows whether there is more.
            let reached = if bytes.is_empty() {
                0
            } else {
                range.offset + bytes.len() as u64
            };
            bytes.truncate(max);
            Ok(FileSlice::new(bytes, len.max(reached)))
        })
    }

    fn open<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ReadHandle> {
        Box::pin(async move {
            let described = self.metadata_of(path).await?;
            let (reply, bytes) = self
                .fetch("read", path, &["0", "9000000000000000000"])
                .await?;
            let mut metadata = Metadata::new(
                FileKind::File,
                parse_length(path, &reply)?,
                described.modified,
            );
            metadata.version = described.version;
            metadata.executable = described.executable;
            Ok(ReadHandle::new(metadata, bytes))
        })
    }

    fn read_dir<'a>(&'a self, path: &'a Path) -> FsFuture<'a, Listing> {
        Box::pin(async move {
            let limit = (Listing::LIMIT + 1).to_string();
            let reply = self.ask("list", path, &[&limit], NAMES).await?;
            let mut entries: Vec<DirEntry> = reply
                .body
                .split(|&byte| byte == 0)
                .filter_map(|entry| entry.split_first())
                .map(|(&kind, name)| {
                    DirEntry::new(OsString::from_vec(name.to_vec()), kind_of_letter(kind))
                })
                .collect();
            // One name more than requested shows whether there are more.
            let truncated = entries.len() > Listing::LIMIT;
            entries.truncate(Listing::LIMIT);
            Ok(Listing::new(entries, truncated))
        })
    }

    fn apply(&self, changes: Vec<Change>) -> FsFuture<'_, Vec<Metadata>> {
        Box::pin(self.apply_changes(changes))
    }

    fn create_dir<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ()> {
        Box::pin(async move { self.ask("create", path, &[], 0).await.map(drop) })
    }

    fn remove_dir_all<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ()> {
        Box::pin(async move { self.ask("remove", path, &[], 0).await.map(drop) })
    }

    fn pack<'a>(&'a self, path: &'a Path) -> FsFuture<'a, Box<dyn Read + Send>> {
        Box::pin(async move {
            let (_, theirs) = self.fetch("pack", path, &[]).await?;
            let (mut writer, ours) = PipeWriter::new();
            tokio::task::spawn_blocking(move || {
                let done = copy_checked(theirs, &mut writer, true).map_err(std::io::Error::other);
                writer.finish(done);
            });
            Ok(Box::new(PipeReader::new(Vec::new(), ours)) as _)
        })
    }

    fn unpack<'a>(&'a self, path: &'a Path, archive: Box<dyn Read + Send>) -> FsFuture<'a, ()> {
        Box::pin(async move {
            let (mut writer, parts) = PipeWriter::new();
            let call = self.unpack_call(path, CommandInput::Parts(parts))?;
            let check = tokio::task::spawn_blocking(move || {
                let done = copy_checked(archive, &mut writer, false);
                let invalid = |_: &FsError| std::io::ErrorKind::InvalidData.into();
                writer.finish(done.as_ref().copied().map_err(invalid));
                done
            });
            let reply = match self.host.ask(call).await {
                Ok(reply) => self.expect_ok(reply, &[path]).await,
                Err(source) => Err(lost(path, source)),
            };
            // The error of the archive is more specific than that of the interrupted transfer.
            if let Ok(Err(refused)) = check.await
                && matches!(&refused, FsError::Archive { .. })
                && reply.is_err()
            {
                return Err(refused);
            }
            reply.map(drop)
        })
    }
}

/// Adds the path to the error of a call.
fn lost(path: &Path, source: std::io::Error) -> FsError {
    FsError::Io {
        path: display_path(path),
        source,
    }
}

fn invalid_reply(path: &Path, reply: &HostReply) -> FsError {
    lost(
        path,
        invalid_data(format!("`{}` was answered", reply.line())),
    )
}

/// Parses the length of a file after `ok`.
fn parse_length(path: &Path, reply: &HostReply) -> Result<u64, FsError> {
    let length = reply.line_rest().parse();
    length.map_err(|_| invalid_reply(path, reply))
}

/// Parses `MODE SIZE SECONDS VERSION`, with the mode in hexadecimal digits.
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
