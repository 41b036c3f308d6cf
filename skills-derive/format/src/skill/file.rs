//! One file of a skill.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::body;
use crate::codes;
use crate::limits::MAX_FILE;
use crate::problem::{Finding, Position};
use crate::walk::{FoundFile, unreadable};

/// A file of a skill, without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileInfo {
    /// The path below the skill's folder, with `/` on every system.
    pub path: String,
    /// Where the file is: behind links, if there are any on the way, as the walk found it.
    pub location: PathBuf,
    /// The size, in bytes.
    pub size: u64,
    /// The digest of the bytes; `None` where the file was not read.
    pub sha256: Option<[u8; 32]>,
    /// Whether it is a program: its mode says so or, if it was read, its first bytes are `#!`.
    pub executable: bool,
    /// Whether it is text in UTF-8; `None` where the file was not read.
    pub utf8: Option<bool>,
}

impl FileInfo {
    /// Reads the file, and gives what is known of it then: size, digest, and whether it is a program or text.
    ///
    /// # Errors
    ///
    /// Those of the system; [`io::ErrorKind::FileTooLarge`] beyond [`MAX_FILE`].
    pub fn inspect(&self) -> io::Result<(Self, Vec<u8>)> {
        let bytes = read_at_most(&self.location, MAX_FILE)?;
        Ok((self.with_contents(&bytes), bytes))
    }

    fn with_contents(&self, bytes: &[u8]) -> Self {
        Self {
            size: bytes.len() as u64,
            sha256: Some(Sha256::digest(bytes).into()),
            // Half of the scripts out there have a `#!` line and no mode bit, and not every system has the bit.
            executable: self.executable || bytes.starts_with(b"#!"),
            utf8: Some(str::from_utf8(bytes).is_ok()),
            ..self.clone()
        }
    }
}

/// What reading one file gave.
pub(super) struct ReadFile {
    /// The file, unless it is not one to carry along.
    pub(super) file: Option<FileInfo>,
    /// Its text, if it is Markdown.
    pub(super) text: Option<String>,
    pub(super) findings: Vec<Finding>,
}

/// Returns what is known of a file without reading it.
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

/// Reads a file that was found.
pub(super) fn read(found: &FoundFile) -> Result<ReadFile, Finding> {
    inspect_bytes(found, bytes(&found.location, MAX_FILE)?)
}

/// Looks at the bytes of a file.
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
        // The SKILL.md itself has been looked at as a manifest.
        if !found.path.eq_ignore_ascii_case(crate::SKILL_MD) {
            read.findings.extend(body::check_invisible(&text));
        }
        read.text = Some(text);
    }
    Ok(read)
}

/// Reads the bytes of a file that may have grown since it was found.
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
    // One byte more, so that the end is found without growing.
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
