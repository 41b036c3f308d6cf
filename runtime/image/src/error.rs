//! Errors of images.

use std::fmt;

use helve_host::worker::WorkerError;
use serde::{Deserialize, Serialize};

use crate::limits::{MAX_DIMENSION, MAX_INPUT_BYTES};

/// An image that cannot be prepared. The text goes on after the name of the image: "it is …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// A known format that is not decoded.
    #[error("it is {0}; convert it to PNG, JPEG, WebP or GIF first")]
    OtherFormat(&'static str),
    /// No image.
    #[error("it is no image: its first bytes are not those of PNG, JPEG, WebP or GIF")]
    NotAnImage,
    /// More bytes than are decoded.
    #[error("it has more than {} MiB; make it smaller first", MAX_INPUT_BYTES >> 20)]
    TooManyBytes,
    /// The decoder refused it.
    #[error(transparent)]
    Refused(#[from] RefusedImage),
    /// The decoder crashed, or used up its time or its memory.
    #[error("it cannot be decoded within the limits of time and memory: {0}")]
    Limits(#[source] WorkerError),
    /// There is no worker to decode it, or it did not start.
    #[error("images are decoded in a worker, and there is none: {0}")]
    NoWorker(#[source] WorkerError),
}

impl ImageError {
    /// Reports whether images are never decoded here: on systems other than Linux, and in a program that does not call
    /// `become_helper`. Another failure of a worker is one of this image, which says nothing of the next one.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        matches!(
            self,
            Self::NoWorker(WorkerError::NotReady | WorkerError::Unsupported)
        )
    }
}

/// The reason why the decoder refused an image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum RefusedImage {
    /// Too wide or too high.
    #[error(
        "it has {width} x {height} pixels, and at most {MAX_DIMENSION} in a row or a column are decoded; make it smaller first"
    )]
    Dimensions {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// Too many pixels.
    #[error(
        "it has {width} x {height} pixels, more than fit into memory here; make it smaller first"
    )]
    Pixels {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// The region has no pixel of the image.
    #[error("it has {width} x {height} pixels, and the region has none of them")]
    EmptyRegion {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// It cannot be decoded, for this reason.
    #[error("it cannot be decoded: {0}")]
    Broken(String),
}

impl RefusedImage {
    /// Creates the error of a file that is broken; the reason is shortened.
    pub(crate) fn broken(why: &dyn fmt::Display) -> Self {
        let why = why.to_string();
        let line = why.lines().next().unwrap_or_default();
        Self::Broken(line.chars().filter(|c| !c.is_control()).take(200).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::ImageError;
    use helve_host::worker::WorkerError;

    /// A decoder that was taken over may claim that it could not be confined, so that this is no reason to show the image as
    /// it is.
    #[test]
    fn a_worker_does_not_say_that_there_is_none() {
        let is_unsupported = |error| ImageError::NoWorker(error).is_unsupported();
        assert!(is_unsupported(WorkerError::NotReady));
        assert!(is_unsupported(WorkerError::Unsupported));
        assert!(!is_unsupported(WorkerError::Confine("x".to_owned())));
        assert!(!is_unsupported(WorkerError::Start(io::Error::other("x"))));
        assert!(!is_unsupported(WorkerError::TooLarge));
        assert!(!ImageError::NotAnImage.is_unsupported());
    }
}
