//! Compressed contents, which are decompressed on first use.

use std::sync::OnceLock;

/// Compressed contents of one or more files. For generated code.
#[doc(hidden)]
pub struct CompressedContents {
    compressed: &'static [u8],
    pub(super) size: usize,
    decompressed: OnceLock<Result<Box<[u8]>, &'static str>>,
}

impl CompressedContents {
    /// Creates contents of `size` bytes from their zstd frame. For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn zstd(packed: &'static [u8], size: usize) -> Self {
        Self {
            compressed: packed,
            size,
            decompressed: OnceLock::new(),
        }
    }

    /// Returns the contents, whose SHA-256 must be `sha256`; the error names the mismatch.
    pub(super) fn decompressed(
        &'static self,
        sha256: &[u8; 32],
    ) -> Result<&'static [u8], &'static str> {
        let unpacked = self.decompressed.get_or_init(|| self.decompress(sha256));
        unpacked.as_deref().map_err(|reason| *reason)
    }

    #[cfg(not(feature = "zstd"))]
    fn decompress(&self, _: &[u8; 32]) -> Result<Box<[u8]>, &'static str> {
        let _ = self.compressed;
        Err("it is compressed, and the feature `zstd` is off")
    }

    #[cfg(feature = "zstd")]
    fn decompress(&self, sha256: &[u8; 32]) -> Result<Box<[u8]>, &'static str> {
        use sha2::{Digest as _, Sha256};
        use std::io::Read as _;

        const NOT_ZSTD: &str = "it does not unpack";
        let decoder =
            ruzstd::decoding::StreamingDecoder::new(self.compressed).map_err(|_| NOT_ZSTD)?;
        let mut bytes = Vec::with_capacity(self.size);
        // Reads one byte more than expected, so that excess data is detected without storing it.
        decoder
            .take(self.size as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|_| NOT_ZSTD)?;
        if bytes.len() != self.size {
            return Err("its size is another");
        }
        if Sha256::digest(&bytes).as_slice() != sha256 {
            return Err("its SHA-256 is another");
        }
        Ok(bytes.into_boxed_slice())
    }
}
