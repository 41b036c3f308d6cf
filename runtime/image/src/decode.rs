//! Decodes an image and makes it what a model sees. Only the worker does so.

use std::io::Cursor;

use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder as _, ImageReader, Limits, RgbaImage};
use serde::{Deserialize, Serialize};

use crate::animation::count_frames;
use crate::encode::encode;
use crate::error::RefusedImage;
use crate::kind::ImageKind;
use crate::limits::MAX_DIMENSION;
use crate::region::{Region, is_turned};
use crate::scale::{fit, shrink};

/// What is wanted of an image.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct ImageRequest {
    pub(crate) kind: ImageKind,
    pub(crate) max_edge: u32,
    pub(crate) region: Option<Region>,
    /// The greatest number of bytes of its pixels.
    pub(crate) max_pixel_bytes: u64,
}

/// What is known of an image that was prepared.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct ImageFacts {
    pub(crate) kind: ImageKind,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The size of the upright original.
    pub(crate) original: (u32, u32),
    pub(crate) frames: u32,
    /// The part of the original.
    pub(crate) region: Region,
}

/// Decodes an image, and encodes what is wanted of it.
pub(crate) fn decode(
    bytes: &[u8],
    request: &ImageRequest,
) -> Result<(Vec<u8>, ImageFacts), RefusedImage> {
    let (image, orientation) = read(bytes, request)?;
    let upright = upright_size((image.width(), image.height()), orientation);
    let region = request.region.unwrap_or(Region::whole(upright));
    let region = region.within(upright).ok_or(RefusedImage::EmptyRegion {
        width: upright.0,
        height: upright.1,
    })?;
    let frames = count_frames(request.kind, bytes);
    let part = region.stored(orientation, upright);
    let mut max_edge = request.max_edge.max(1);
    loop {
        let scaled = render(&image, orientation, part, max_edge);
        let encoded = encode(&scaled).map_err(|error| RefusedImage::broken(&error))?;
        if let Some((bytes, kind)) = encoded {
            let facts = ImageFacts {
                kind,
                width: scaled.width(),
                height: scaled.height(),
                original: upright,
                frames,
                region,
            };
            return Ok((bytes, facts));
        }
        // Half the edge has a quarter of the bytes: one pixel always fits.
        max_edge = scaled.width().max(scaled.height()) / 2;
    }
}

/// Returns a part of a stored image, made smaller and turned upright.
fn render(
    image: &DynamicImage,
    orientation: Orientation,
    part: Region,
    max_edge: u32,
) -> RgbaImage {
    let size = fit((part.width, part.height), max_edge);
    let mut scaled = DynamicImage::from(shrink(image, part, size));
    scaled.apply_orientation(orientation);
    scaled.into_rgba8()
}

/// Decodes the pixels. Of an animation, those of the first frame.
fn read(bytes: &[u8], request: &ImageRequest) -> Result<(DynamicImage, Orientation), RefusedImage> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), request.kind.format());
    let mut limits = Limits::no_limits();
    // Decoders need memory of their own beside that of the pixels.
    limits.max_alloc = Some(request.max_pixel_bytes + (16 << 20));
    reader.limits(limits);
    let mut decoder = reader
        .into_decoder()
        .map_err(|error| RefusedImage::broken(&error))?;
    let (width, height) = decoder.dimensions();
    if width > MAX_DIMENSION || height > MAX_DIMENSION {
        return Err(RefusedImage::Dimensions { width, height });
    }
    if decoder.total_bytes() > request.max_pixel_bytes {
        return Err(RefusedImage::Pixels { width, height });
    }
    // Metadata that cannot be read turns nothing.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let image =
        DynamicImage::from_decoder(decoder).map_err(|error| RefusedImage::broken(&error))?;
    Ok((image, orientation))
}

fn upright_size((width, height): (u32, u32), orientation: Orientation) -> (u32, u32) {
    if is_turned(orientation) {
        (height, width)
    } else {
        (width, height)
    }
}

#[cfg(test)]
mod tests;
