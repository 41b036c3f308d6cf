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
//! | the processor time | 6 s |
//! | the bytes of what is shown | [`MAX_OUTPUT_BYTES`] |

mod animation;
mod decode;
mod encode;
mod error;
mod job;
mod kind;
mod limits;
mod prepare;
mod region;
mod scale;

pub use self::error::{ImageError, RefusedImage};
pub use self::kind::{ImageKind, describe_other_format};
pub use self::limits::{DEFAULT_EDGE, MAX_DIMENSION, MAX_EDGE, MAX_INPUT_BYTES, MAX_OUTPUT_BYTES};
pub use self::prepare::{ImageOptions, OriginalImage, PreparedImage, prepare};
pub use self::region::Region;
