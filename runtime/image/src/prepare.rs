//! Has the worker prepare an image.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use helve_core::transcript::ContentBlock;
use helve_host::worker::{self, JobLimits, WorkerError};

use crate::decode::{ImageFacts, ImageRequest};
use crate::error::{ImageError, RefusedImage};
use crate::job::{ImageResponse, PREPARE};
use crate::kind::{ImageKind, describe_other_format};
use crate::limits::{DEFAULT_EDGE, MAX_EDGE, MAX_INPUT_BYTES, MAX_OUTPUT_BYTES};
use crate::region::Region;

/// The limit of the time that the processor spends on an image.
const PROCESSOR_LIMIT: Duration = Duration::from_secs(6);

/// The time limit of an image.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// The limits of an image that most are within, and of one with many pixels, which runs alone.
const SMALL: MemoryLimits = MemoryLimits {
    memory: 112 << 20,
    max_pixel_bytes: 40 << 20,
};
const LARGE: MemoryLimits = MemoryLimits {
    memory: 208 << 20,
    max_pixel_bytes: 128 << 20,
};

#[derive(Clone, Copy)]
struct MemoryLimits {
    memory: u64,
    max_pixel_bytes: u64,
}

/// What is wanted of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImageOptions {
    /// The greatest length of the longer edge, in pixels; at most [`MAX_EDGE`].
    pub max_edge: u32,
    /// The part of the image; all of it without one.
    pub region: Option<Region>,
}

impl ImageOptions {
    /// Sets the greatest length of the longer edge, in pixels.
    #[must_use]
    pub fn with_max_edge(self, max_edge: u32) -> Self {
        Self { max_edge, ..self }
    }

    /// Sets the part of the image.
    #[must_use]
    pub fn with_region(self, region: Option<Region>) -> Self {
        Self { region, ..self }
    }
}

/// Returns the options for all of an image, with an edge of at most [`DEFAULT_EDGE`] pixels.
impl Default for ImageOptions {
    fn default() -> Self {
        Self {
            max_edge: DEFAULT_EDGE,
            region: None,
        }
    }
}

/// The image that another one was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct OriginalImage {
    /// Its format.
    pub kind: ImageKind,
    /// Its width in pixels, when it is upright.
    pub width: u32,
    /// Its height in pixels, when it is upright.
    pub height: u32,
    /// Its bytes.
    pub size: usize,
    /// The number of its frames. Only the first one is prepared.
    pub frames: u32,
}

/// An image as a model sees it: upright, not too large, and without metadata.
///
/// The pixels are as untrusted as the file that they were decoded from: an image may contain text that tries to steer a
/// model. [`Display`](fmt::Display) describes it on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PreparedImage {
    /// Its format, which is PNG or JPEG.
    pub kind: ImageKind,
    /// The encoded image, of at most [`MAX_OUTPUT_BYTES`].
    pub bytes: Vec<u8>,
    /// Its width, in pixels.
    pub width: u32,
    /// Its height, in pixels.
    pub height: u32,
    /// The part of the original that it shows.
    pub region: Region,
    /// The image that it was made of.
    pub original: OriginalImage,
}

impl PreparedImage {
    /// Returns the image as a block of content.
    #[must_use]
    pub fn block(&self) -> ContentBlock {
        ContentBlock::Image {
            data: STANDARD.encode(&self.bytes),
            mime_type: self.kind.mime_type().to_owned(),
        }
    }
}

impl fmt::Display for PreparedImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let original = &self.original;
        let (width, height) = (original.width, original.height);
        let kind = original.kind.mime_type();
        write!(f, "{kind}, {width} x {height} pixels")?;
        if original.frames > 1 {
            write!(f, ", the first of {} frames", original.frames)?;
        }
        let part = self.region;
        if part != Region::whole((width, height)) {
            let Region {
                x,
                y,
                width,
                height,
            } = part;
            write!(f, ", the part of {width} x {height} at {x},{y}")?;
        }
        if (self.width, self.height) != (part.width, part.height) {
            write!(f, ", shown with {} x {}", self.width, self.height)?;
        }
        Ok(())
    }
}

/// Prepares an image for a model: decodes it in a confined worker, turns it upright, cuts out a region, makes it smaller
/// and encodes it again, as PNG if it has few colors or is transparent, and as JPEG otherwise.
///
/// Formats are recognized by their first bytes. When the future is dropped, the worker is killed.
///
/// ```no_run
/// use helve::image::{self, ImageOptions};
///
/// # async fn example(photo: Vec<u8>) -> Result<(), helve::image::ImageError> {
/// let image = image::prepare(photo, ImageOptions::default()).await?;
/// println!("{image}");
/// let block = image.block();
/// # let _ = block;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// When the bytes are no image of a format that is decoded, are broken, exceed a limit, or the region has no pixel of the
/// image; and where workers are not available: in a program that does not call `become_helper`, and on systems other than
/// Linux.
pub async fn prepare(bytes: Vec<u8>, options: ImageOptions) -> Result<PreparedImage, ImageError> {
    let Some(kind) = ImageKind::detect(&bytes) else {
        return Err(match describe_other_format(&bytes) {
            Some(words) => ImageError::OtherFormat(words),
            None => ImageError::NotAnImage,
        });
    };
    if bytes.len() > MAX_INPUT_BYTES {
        return Err(ImageError::TooManyBytes);
    }
    let size = bytes.len();
    // A worker with little memory fails on few images, and those are decoded again by one that runs alone.
    let small = run(bytes.clone(), kind, options, SMALL).await;
    let needs_more = match &small {
        Err(ImageError::Refused(RefusedImage::Pixels { .. })) => true,
        Err(ImageError::Limits(error)) => is_memory(error),
        _ => false,
    };
    let (bytes, facts) = if needs_more {
        run(bytes, kind, options, LARGE).await?
    } else {
        small?
    };
    let (width, height) = facts.original;
    Ok(PreparedImage {
        kind: facts.kind,
        bytes,
        width: facts.width,
        height: facts.height,
        region: facts.region,
        original: OriginalImage {
            kind,
            width,
            height,
            size,
            frames: facts.frames,
        },
    })
}

async fn run(
    bytes: Vec<u8>,
    kind: ImageKind,
    options: ImageOptions,
    memory: MemoryLimits,
) -> Result<(Vec<u8>, ImageFacts), ImageError> {
    let request = ImageRequest {
        kind,
        max_edge: options.max_edge.clamp(1, MAX_EDGE),
        region: options.region,
        max_pixel_bytes: memory.max_pixel_bytes,
    };
    let broken = |error: serde_json::Error| ImageError::Refused(RefusedImage::broken(&error));
    let argument = serde_json::to_value(request).map_err(broken)?;
    let limits = JobLimits {
        stack: 8 << 20,
        memory: memory.memory,
        cpu: PROCESSOR_LIMIT,
        wall: TIME_LIMIT,
        output: MAX_OUTPUT_BYTES,
        calls: 0,
    };
    let output = worker::run(&PREPARE, argument, bytes, limits).await;
    let output = output.map_err(worker_error)?;
    let facts = match serde_json::from_value(output.result).map_err(broken)? {
        ImageResponse::Prepared(facts) => facts,
        ImageResponse::Refused(refused) => return Err(refused.into()),
    };
    // The output of a compromised worker is not trusted.
    let is_image = ImageKind::detect(&output.data) == Some(facts.kind);
    if !is_image || facts.width.max(facts.height) > MAX_EDGE {
        let why = "its decoder returned something else";
        return Err(ImageError::Refused(RefusedImage::broken(&why)));
    }
    Ok((output.data, facts))
}

/// Converts the error of a worker.
fn worker_error(error: WorkerError) -> ImageError {
    match error {
        WorkerError::Deadline(_)
        | WorkerError::Killed { .. }
        | WorkerError::Exited { .. }
        | WorkerError::Protocol(_)
        | WorkerError::Job(_) => ImageError::Limits(error),
        _ => ImageError::NoWorker(error),
    }
}

/// Reports whether a worker may have had too little memory.
fn is_memory(error: &WorkerError) -> bool {
    /// The signals of a program that aborts, and of one whose memory is not there.
    const SIGNALS: [i32; 2] = [6, 11];
    match error {
        WorkerError::Killed { signal } => SIGNALS.contains(signal),
        WorkerError::Exited { .. } | WorkerError::Job(_) => true,
        _ => false,
    }
}
