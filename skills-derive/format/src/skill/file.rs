//! The files of a skill.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::body;
use crate::codes;
use crate::limits::MAX_FILE;
use crate::problem::{Finding, Position};
use crate::walk::{FoundFile, unreadable};

/// The metadata of a skill's file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileInfo {
    /// The path, relative to the skill's folder, with `/` on every system.
    pub path: String,
    /// The path on this machine, with symbolic links resolved by the walk.
    pub location: PathBuf,
    /// The size, in bytes.
    pub size: u64,
    /// The SHA-256 of the contents; `None` if the file was not read.
    pub sha256: Option<[u8; 32]>,
    /// Whether the file is executable: by its mode or, if it was read, by a leading `#!`.
    pub executable: bool,
    /// Whether the contents are UTF-8; `None` if the file was not read.
    pub utf8: Option<bool>,
}

impl FileInfo {
    /// Reads the file, and returns its current metadata and its contents.
    ///
    /// # Errors
    ///
    /// Returns the error of the system; [`io::ErrorKind::FileTooLarge`] beyond [`MAX_FILE`].
    pub fn inspect(&self) -> io::Result<(Self, Vec<u8>)> {
        let bytes = read_at_most(&self.location, MAX_FILE)?;
        Ok((self.with_contents(&bytes), bytes))
    }

    fn with_contents(&self, bytes: &[u8]) -> Self {
        Self {
            size: bytes.len() as u64,
            sha256: Some(Sha256::digest(bytes).into()),
            // Many scripts have a `#!` line and no executable bit, and some systems have no such bit.
            executable: self.executable || bytes.starts_with(b"#!"),
            utf8: Some(str::from_utf8(bytes).is_ok()),
            ..self.clone()
        }
    }
}

/// The result of reading one file.
pub(super) struct ReadFile {
    /// The file; `None` if it must be left out.
    pub(super) file: Option<FileInfo>,
    /// The text, if the file is Markdown.
    pub(super) text: Option<String>,
    pub(super) findings: Vec<Finding>,
}

/// Returns the metadata of a file without reading it.
pub(super) fn from_listing(found: &FoundFile) -> ReadFile {
    let file = FileInfo {
        path: found.path.clone(),
        location: found.location.clone(),
        size: found.size,
        sha256: None,
        executable: found.is_executable,
        utf8: None,
    };
    ReadFile {
        file: Some(file),
        text: None,
        findings: Vec::new(),
    }
}

/// Reads a file of the walk.
pub(super) fn read(found: &FoundFile) -> Result<ReadFile, Finding> {
    inspect_bytes(found, bytes(&found.location, MAX_FILE)?)
}

/// Checks the contents of a file.
pub(super) fn inspect_bytes(found: &FoundFile, bytes: Vec<u8>) -> Result<ReadFile, Finding> {
    let mut read = from_listing(found);
    let file = read.file.take();
    if is_lfs_pointer(&bytes) {
        read.findings.push(lfs_pointer());
        return Ok(read);
    }
    if cfg!(unix) && bytes.starts_with(b"#!") && !found.is_executable {
        read.findings.push(not_executable());
    }
    read.file = file.map(|file| file.with_contents(&bytes));
    let is_markdown = Path::new(&found.path)
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    if is_markdown && let Ok(text) = String::from_utf8(bytes) {
        // The SKILL.md itself is checked as the manifest.
        if !found.path.eq_ignore_ascii_case(crate::SKILL_MD) {
            read.findings.extend(body::check_invisible(&text));
        }
        read.text = Some(text);
    }
    Ok(read)
}

/// Reads a file that may have grown since the walk.
pub(super) fn bytes(location: &Path, most: u64) -> Result<Vec<u8>, Finding> {
    read_at_most(location, most).map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => {
            let message = format!("the file is longer than the {most} bytes that are allowed");
            Finding::new(codes::FILE_SIZE, message)
        }
        _ => unreadable(&error),
    })
}

fn read_at_most(location: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = fs::File::open(location)?;
    let size = file.metadata()?.len().min(most);
    // One byte more, so that the end of the file is detected without reallocation.
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
    file.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}

fn is_lfs_pointer(bytes: &[u8]) -> bool {
    const MAX_POINTER_BYTES: usize = 1024;
    bytes.len() < MAX_POINTER_BYTES
        && bytes.starts_with(b"version https://git-lfs.github.com/spec/")
}

fn lfs_pointer() -> Finding {
    let message = "this is a pointer of Git LFS, not the file itself";
    Finding::new(codes::LFS_POINTER, message).with_help("fetch the files: `git lfs pull`")
}

fn not_executable() -> Finding {
    let message = "the file begins with `#!` and is not marked as executable";
    Finding::new(codes::NOT_EXECUTABLE, message)
        .with_position(Position::START)
        .with_help(
            "mark it: `chmod +x`, and where git does not see that, `git update-index --chmod=+x`",
        )
}
