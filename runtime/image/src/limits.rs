//! The limits of images.

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
