//! A file of a skill, as it was when the binary was built.

use super::CompressedContents;

/// A file of a skill, as it was when the binary was built.
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

/// Embedded contents that cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddedFileError {
    /// Compressed contents are no longer what was embedded: the executable is damaged.
    #[error(
        "the embedded file `{path}` is corrupt ({reason}): the executable was modified; reinstall it"
    )]
    Damaged {
        /// The path below the skill's folder.
        path: &'static str,
        /// What does not fit.
        reason: &'static str,
    },
    /// The contents are asked for as text, and are none.
    #[error("the embedded file `{path}` is not text: it is not UTF-8")]
    NotText {
        /// The path below the skill's folder.
        path: &'static str,
    },
}

impl EmbeddedFile {
    /// Makes a file of what is known about it. For generated code.
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

    /// Makes a file whose contents are compressed. For generated code.
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

    /// Returns the path below the skill's folder, with `/` on every system.
    #[must_use]
    pub const fn path(&self) -> &'static str {
        self.path
    }

    /// Returns the contents. Compressed ones are unpacked when they are first asked for, and kept.
    ///
    /// # Errors
    ///
    /// If compressed contents are not what was embedded. Contents that are not compressed are always given.
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
    /// If they are not UTF-8, or as [`bytes`](Self::bytes).
    pub fn text(&self) -> Result<&'static str, EmbeddedFileError> {
        let not_text = EmbeddedFileError::NotText { path: self.path };
        if !self.utf8 {
            return Err(not_text);
        }
        str::from_utf8(self.bytes()?).map_err(|_| not_text)
    }

    /// Counts the bytes of the contents, unpacked.
    #[must_use]
    pub const fn size(&self) -> usize {
        match self.contents {
            Contents::Plain(bytes) => bytes.len(),
            Contents::Compressed(compressed) => compressed.size,
        }
    }

    /// Returns the SHA-256 of the contents, unpacked.
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

// By hand, to leave out the bytes.
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
