//! Encodes images for models.

use std::collections::BTreeSet;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder as _, ImageResult, RgbaImage};

use crate::kind::ImageKind;
use crate::limits::MAX_OUTPUT_BYTES;

/// The greatest number of colors of a drawing, which PNG stores without loss in few bytes.
const MAX_DRAWING_COLORS: usize = 256;

/// The quality of JPEG, from 1 to 100.
const JPEG_QUALITY: u8 = 85;

/// Encodes an image: drawings and what is transparent as PNG, others and what would be too large as JPEG. Returns `None`
/// where it has too many bytes as either.
pub(crate) fn encode(image: &RgbaImage) -> ImageResult<Option<(Vec<u8>, ImageKind)>> {
    let is_transparent = image.pixels().any(|pixel| pixel.0[3] < 255);
    if is_transparent || is_drawing(image) {
        let mut bytes = Vec::new();
        let (width, height) = image.dimensions();
        let encoder = PngEncoder::new(&mut bytes);
        if is_transparent {
            encoder.write_image(image, width, height, ExtendedColorType::Rgba8)?;
        } else {
            encoder.write_image(&opaque(image), width, height, ExtendedColorType::Rgb8)?;
        }
        if bytes.len() <= MAX_OUTPUT_BYTES {
            return Ok(Some((bytes, ImageKind::Png)));
        }
    }
    let mut bytes = Vec::new();
    let (width, height) = image.dimensions();
    let encoder = JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY);
    encoder.write_image(&opaque(image), width, height, ExtendedColorType::Rgb8)?;
    Ok((bytes.len() <= MAX_OUTPUT_BYTES).then_some((bytes, ImageKind::Jpeg)))
}

/// Reports whether an image has few colors.
fn is_drawing(image: &RgbaImage) -> bool {
    let (mut colors, mut last) = (BTreeSet::new(), None);
    image.pixels().all(|pixel| {
        if last != Some(pixel) {
            colors.insert(pixel.0);
            last = Some(pixel);
        }
        colors.len() <= MAX_DRAWING_COLORS
    })
}

/// Returns the pixels on white ground, without their opacity.
fn opaque(image: &RgbaImage) -> Vec<u8> {
    let mut pixels = Vec::with_capacity(image.len() / 4 * 3);
    for pixel in image.pixels() {
        let [red, green, blue, alpha] = pixel.0.map(u32::from);
        let mixed = |value: u32| (value * alpha + 255 * (255 - alpha) + 127) / 255;
        pixels.extend([red, green, blue].map(|value| u8::try_from(mixed(value)).unwrap_or(255)));
    }
    pixels
}

#[cfg(test)]
mod tests {
    use image::{Rgba, RgbaImage};

    use super::encode;
    use crate::kind::ImageKind;

    #[test]
    fn drawings_are_png_and_photos_are_jpeg() {
        let kind = |image: &RgbaImage| encode(image).unwrap().unwrap().1;
        assert_eq!(
            kind(&RgbaImage::from_pixel(9, 9, Rgba([1, 2, 3, 255]))),
            ImageKind::Png
        );
        let wide = RgbaImage::from_fn(300, 300, |x, y| {
            let value = u8::try_from((x * 7 + y * 13) % 256).unwrap();
            Rgba([value, u8::try_from(x % 256).unwrap(), 0, 255])
        });
        assert_eq!(kind(&wide), ImageKind::Jpeg);
        let clear = RgbaImage::from_fn(300, 300, |x, y| {
            let value = u8::try_from((x * 7 + y * 13) % 256).unwrap();
            Rgba([value, u8::try_from(x % 256).unwrap(), 0, value])
        });
        assert_eq!(kind(&clear), ImageKind::Png);
    }
}
