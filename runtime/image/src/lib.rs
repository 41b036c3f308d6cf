//! Images for models, for [helve](https://docs.rs/helve): PNG, JPEG, GIF and WebP files are decoded in a confined worker,
//! turned upright, made smaller and encoded again, without their metadata. Depend on `helve`, not on this crate.
//!
//! Everything that shows an image to a model goes through [`prepare()`]: the tool `view_image`, the images in the results
//! of other tools, and those that a user attaches. The limits are the same for all:
//!
//! | what | limit |
//! |---|---|
//! | the bytes of a file | [`MAX_INPUT_BYTES`] |
//! | its width and its height | [`MAX_DIMENSION`] pixels |
//! | its pixels in memory | 128 MiB: some 44 megapixels without transparency |
//! | the processor time | 10 s |
//! | the bytes of what is shown | [`MAX_OUTPUT_BYTES`] |

mod animation;
mod decode;
mod encode;
mod error;
mod job;
mod kind;
mod prepare;
mod region;
mod scale;

pub use self::error::{ImageError, RefusedImage};
pub use self::kind::{ImageKind, describe_other_format};
pub use self::prepare::{ImageOptions, OriginalImage, PreparedImage, prepare};
pub use self::region::Region;

/// The greatest number of bytes of an image that is decoded.
pub const MAX_INPUT_BYTES: usize = 20 << 20;

/// The greatest width and height of an image that is decoded, in pixels.
pub const MAX_DIMENSION: u32 = 16_384;

/// The greatest number of bytes of a prepared image: in base64 it has the 5 MB that providers accept.
pub const MAX_OUTPUT_BYTES: usize = 3_750_000;

/// The greatest edge of a prepared image that may be asked for, in pixels.
pub const MAX_EDGE: u32 = 2_576;

/// The greatest edge of a prepared image where none is asked for: larger ones are made smaller by providers.
pub const DEFAULT_EDGE: u32 = 1_568;
