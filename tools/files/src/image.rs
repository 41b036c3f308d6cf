//! Reads image files for a model.

use std::io::{self, Read};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use helve::transcript::ContentBlock;

/// The greatest size of an image in bytes: in base64 it has the 5 MB that providers accept.
pub(super) const MAX_IMAGE_BYTES: usize = 3_750_000;

/// Reads an image of at most [`MAX_IMAGE_BYTES`] bytes; returns `None` for a larger one.
pub(super) fn read(reader: impl Read, media_type: &str) -> io::Result<Option<ContentBlock>> {
    let mut bytes = Vec::new();
    reader
        .take(MAX_IMAGE_BYTES as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok(
        (bytes.len() <= MAX_IMAGE_BYTES).then(|| ContentBlock::Image {
            data: STANDARD.encode(&bytes),
            mime_type: media_type.to_owned(),
        }),
    )
}
