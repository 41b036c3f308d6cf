//! An embedded file of a skill.

use super::CompressedContents;

/// A file of a skill, as of the build of the binary.
pub struct EmbeddedFile {
    path: &'static str,
    contents: Contents,
    sha256: [u8; 32],
    executable: bool,
    utf8: bool,
}

enum Contents {
    Plain(&'static [u8]),
    Compressed(&'static CompressedContents),
}

/// The error of embedded contents that cannot be returned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddedFileError {
    /// Decompressed contents differ from the embedded digest or size: the executable is damaged.
    #[error(
        "the embedded file `{path}` is corrupt ({reason}): the executable was modified; reinstall it"
    )]
    Damaged {
        /// The path, relative to the skill's folder.
        path: &'static str,
        /// The mismatch.
        reason: &'static str,
    },
    /// The contents were requested as text, and are not UTF-8.
    #[error("the embedded file `{path}` is not text: it is not UTF-8")]
    NotText {
        /// The path, relative to the skill's folder.
        path: &'static str,
    },
}

impl EmbeddedFile {
    /// Creates a file from its metadata and contents. For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        path: &'static str,
        bytes: &'static [u8],
        sha256: [u8; 32],
        executable: bool,
        utf8: bool,
    ) -> Self {
        Self {
            path,
            contents: Contents::Plain(bytes),
            sha256,
            executable,
            utf8,
        }
    }

    /// Creates a file with compressed contents. For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn compressed(
        path: &'static str,
        contents: &'static CompressedContents,
        sha256: [u8; 32],
        executable: bool,
        utf8: bool,
    ) -> Self {
        Self {
            contents: Contents::Compressed(contents),
            ..Self::new(path, &[], sha256, executable, utf8)
        }
    }

    /// Returns the path, relative to the skill's folder, with `/` on every system.
    #[must_use]
    pub const fn path(&self) -> &'static str {
        self.path
    }

    /// Returns the contents. Compressed contents are decompressed on first use and cached.
    ///
    /// # Errors
    ///
    /// If compressed contents do not match the embedded digest or size. Uncompressed contents never
    /// fail.
    pub fn bytes(&self) -> Result<&'static [u8], EmbeddedFileError> {
        match self.contents {
            Contents::Plain(bytes) => Ok(bytes),
            Contents::Compressed(compressed) => {
                let path = self.path;
                let bytes = compressed.decompressed(&self.sha256);
                bytes.map_err(|reason| EmbeddedFileError::Damaged { path, reason })
            }
        }
    }

    /// Returns the contents as text.
    ///
    /// # Errors
    ///
    /// If the contents are not UTF-8, and if [`bytes`](Self::bytes) fails.
    pub fn text(&self) -> Result<&'static str, EmbeddedFileError> {
        let not_text = EmbeddedFileError::NotText { path: self.path };
        if !self.utf8 {
            return Err(not_text);
        }
        str::from_utf8(self.bytes()?).map_err(|_| not_text)
    }

    /// Returns the size of the decompressed contents, in bytes.
    #[must_use]
    pub const fn size(&self) -> usize {
        match self.contents {
            Contents::Plain(bytes) => bytes.len(),
            Contents::Compressed(compressed) => compressed.size,
        }
    }

    /// Returns the SHA-256 of the decompressed contents.
    #[must_use]
    pub const fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }

    /// Returns whether the file had an executable bit, or begins with `#!`.
    #[must_use]
    pub const fn is_executable(&self) -> bool {
        self.executable
    }

    /// Returns whether the contents are UTF-8.
    #[must_use]
    pub const fn is_utf8(&self) -> bool {
        self.utf8
    }
}

// Implemented manually, to leave out the contents.
impl std::fmt::Debug for EmbeddedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmbeddedFile")
            .field("path", &self.path)
            .field("size", &self.size())
            .field("executable", &self.executable)
            .field("utf8", &self.utf8)
            .finish_non_exhaustive()
    }
}
