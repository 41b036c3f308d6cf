//! The state of an entry of a folder: what it is, and the digest of its contents.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::sandbox::LocalFs;
use helve_core::support::hex;

/// The greatest size of a file whose contents are kept, in bytes.
pub(super) const MAX_FILE_BYTES: u64 = 5 << 20;

/// The state of an entry of a folder at some time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EntryState {
    /// The entry does not exist.
    Absent,
    /// A regular file.
    File {
        /// The digest of its contents.
        sha256: String,
        /// The size, in bytes.
        size: u64,
        /// The permissions; `None` if the system has none, or if they are not known yet.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<u32>,
    },
    /// A symbolic link.
    Link {
        /// The target, as it is stored in the link.
        #[serde(with = "path_text")]
        target: PathBuf,
    },
    /// A folder; its entries have states of their own.
    Folder {
        /// The permissions, as those of a file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<u32>,
    },
    /// An entry whose contents are not read.
    Unknown {
        /// The reason.
        why: String,
        /// A text that changes with the contents.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stamp: Option<String>,
    },
}

impl EntryState {
    pub(super) fn unknown(why: impl Into<String>) -> Self {
        Self::Unknown {
            why: why.into(),
            stamp: None,
        }
    }

    /// Returns the state of a file with these contents, whose permissions are not known yet.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        Self::File {
            sha256: digest(bytes),
            size: bytes.len() as u64,
            mode: None,
        }
    }

    /// Returns the permissions.
    #[must_use]
    pub fn mode(&self) -> Option<u32> {
        match self {
            Self::File { mode, .. } | Self::Folder { mode } => *mode,
            _ => None,
        }
    }

    /// Returns the same state with these permissions.
    pub(super) fn with_mode(mut self, known: Option<u32>) -> Self {
        if let Self::File { mode, .. } | Self::Folder { mode } = &mut self {
            *mode = known;
        }
        self
    }

    /// Reports whether two states are the same, as far as their permissions are known.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        if self.mode().is_some() && other.mode().is_some() {
            return self == other;
        }
        self.clone().with_mode(None) == other.clone().with_mode(None)
    }
}

/// Reads the state of an entry, and the contents of a file.
pub(super) fn observe(files: &LocalFs, path: &Path) -> (EntryState, Option<Vec<u8>>) {
    match files.entry(path) {
        Ok(None) => (EntryState::Absent, None),
        Ok(Some(stat)) => observe_entry(files, path, &stat),
        Err(error) => (EntryState::unknown(error.to_string()), None),
    }
}

/// Reads the state of an entry with this metadata.
pub(super) fn observe_entry(
    files: &LocalFs,
    path: &Path,
    stat: &fs::Metadata,
) -> (EntryState, Option<Vec<u8>>) {
    let failed = |error: &dyn std::fmt::Display| (EntryState::unknown(error.to_string()), None);
    if stat.is_symlink() {
        return match files.read_link_entry(path) {
            Ok(target) => (EntryState::Link { target }, None),
            Err(error) => failed(&error),
        };
    }
    if stat.is_dir() {
        let mode = mode_of(stat);
        return (EntryState::Folder { mode }, None);
    }
    if !stat.is_file() {
        return (EntryState::unknown("it is not a regular file"), None);
    }
    if stat.len() > MAX_FILE_BYTES {
        return (too_large(stat), None);
    }
    let mut bytes = Vec::new();
    let read = files.open_entry(path).map(|file| {
        let limited = file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
        limited.map(drop)
    });
    match read {
        Ok(Ok(())) if bytes.len() as u64 > MAX_FILE_BYTES => (too_large(stat), None),
        Ok(Ok(())) => {
            let state = EntryState::from_bytes(&bytes).with_mode(mode_of(stat));
            (state, Some(bytes))
        }
        Ok(Err(error)) => failed(&error),
        Err(error) => failed(&error),
    }
}

fn too_large(stat: &fs::Metadata) -> EntryState {
    EntryState::Unknown {
        why: format!("it is larger than {} MB", MAX_FILE_BYTES >> 20),
        stamp: Some(format!("{:?}", Stamp::from_metadata(stat))),
    }
}

pub(super) fn digest(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes))
}

#[cfg(unix)]
fn mode_of(stat: &fs::Metadata) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;
    Some(stat.mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode_of(_: &fs::Metadata) -> Option<u32> {
    None
}

/// What changes with an entry: its identity, size, permissions and times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    identity: (u64, u64),
    size: u64,
    mode: u32,
    modified: i128,
    /// The time at which the entry changed in any way, which no program can set.
    pub(super) changed: i128,
}

impl Stamp {
    /// Returns the stamp of an entry; that of a folder says nothing of its entries.
    #[cfg(unix)]
    pub(super) fn from_metadata(stat: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let nanoseconds =
            |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        let is_folder = stat.is_dir();
        let unless_folder = |value: i128| if is_folder { 0 } else { value };
        Self {
            identity: (stat.dev(), stat.ino()),
            size: if is_folder { 0 } else { stat.size() },
            mode: stat.mode(),
            modified: unless_folder(nanoseconds(stat.mtime(), stat.mtime_nsec())),
            changed: unless_folder(nanoseconds(stat.ctime(), stat.ctime_nsec())),
        }
    }

    #[cfg(not(unix))]
    pub(super) fn from_metadata(stat: &fs::Metadata) -> Self {
        let modified = stat.modified().ok();
        let modified = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let modified = modified.map_or(0, |time| i128::try_from(time.as_nanos()).unwrap_or(0));
        Self {
            identity: (0, 0),
            size: stat.len(),
            mode: u32::from(stat.permissions().readonly()),
            modified,
            changed: modified,
        }
    }
}

/// Writes a path as text: bytes that are not UTF-8, and `%`, as `%` with two hexadecimal digits.
pub(super) mod path_text {
    use std::path::{Path, PathBuf};

    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub(in super::super) fn serialize<S: Serializer>(
        path: &Path,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut text = String::new();
        for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
            text.push_str(&chunk.valid().replace('%', "%25"));
            for byte in chunk.invalid() {
                text.push_str(&format!("%{byte:02x}"));
            }
        }
        serializer.serialize_str(&text)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<PathBuf, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse(&text).ok_or_else(|| D::Error::custom("a path that cannot be read"))
    }

    fn parse(text: &str) -> Option<PathBuf> {
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some((plain, escaped)) = rest.split_once('%') {
            bytes.extend_from_slice(plain.as_bytes());
            bytes.push(u8::from_str_radix(escaped.get(..2)?, 16).ok()?);
            rest = &escaped[2..];
        }
        bytes.extend_from_slice(rest.as_bytes());
        #[cfg(unix)]
        let path = <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes);
        #[cfg(not(unix))]
        let path = String::from_utf8(bytes).ok()?;
        Some(path.into())
    }
}
