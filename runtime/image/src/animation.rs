//! Counts the frames of an image without decoding them.

use crate::kind::ImageKind;

/// Returns the number of frames of a file, as far as its parts can be followed; at least one.
pub(crate) fn count_frames(kind: ImageKind, bytes: &[u8]) -> u32 {
    let frames = match kind {
        ImageKind::Gif => gif(bytes),
        ImageKind::WebP => webp(bytes),
        ImageKind::Png => png(bytes),
        ImageKind::Jpeg => 1,
    };
    frames.max(1)
}

/// Counts the images of a GIF file: walks over its blocks.
fn gif(bytes: &[u8]) -> u32 {
    let colors = |flags: u8| match flags & 0x80 {
        0 => 0,
        _ => 3 << ((flags & 7) + 1),
    };
    let mut frames = 0;
    let mut at = match bytes.get(10) {
        Some(flags) => 13 + colors(*flags),
        None => return frames,
    };
    loop {
        at = match bytes.get(at) {
            // An extension with its label.
            Some(0x21) => skip_blocks(bytes, at + 2),
            Some(0x2c) => {
                frames += 1;
                let Some(flags) = bytes.get(at + 9) else {
                    return frames;
                };
                skip_blocks(bytes, at + 11 + colors(*flags))
            }
            _ => return frames,
        };
    }
}

/// Returns the position behind blocks of data, the last of which is empty.
fn skip_blocks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(length) = bytes.get(at).filter(|length| **length > 0) {
        at += 1 + usize::from(*length);
    }
    at + 1
}

fn webp(bytes: &[u8]) -> u32 {
    let mut frames = 0;
    let mut rest = bytes.get(12..).unwrap_or_default();
    while let Some((head, body)) = rest.split_first_chunk::<8>() {
        let [a, b, c, d, size @ ..] = *head;
        frames += u32::from([a, b, c, d] == *b"ANMF");
        let size = u32::from_le_bytes(size) as usize;
        rest = body.get(size + size % 2..).unwrap_or_default();
    }
    frames
}

/// Returns the number of frames that a PNG file declares before its data.
fn png(bytes: &[u8]) -> u32 {
    let mut rest = bytes.get(8..).unwrap_or_default();
    while let Some((head, body)) = rest.split_first_chunk::<8>() {
        let [size @ .., a, b, c, d] = *head;
        match &[a, b, c, d] {
            b"acTL" => {
                let frames = body.first_chunk::<4>();
                return frames.map_or(1, |frames| u32::from_be_bytes(*frames));
            }
            b"IDAT" => return 1,
            _ => {}
        }
        let size = u32::from_be_bytes(size) as usize;
        rest = body.get(size.saturating_add(4)..).unwrap_or_default();
    }
    1
}

#[cfg(test)]
mod tests {
    use image::codecs::gif::GifEncoder;
    use image::{Frame, RgbaImage};
    use proptest::prelude::*;

    use super::count_frames;
    use crate::kind::ImageKind;

    #[test]
    fn frames_are_counted() {
        let mut gif = Vec::new();
        let mut encoder = GifEncoder::new(&mut gif);
        for _ in 0..3 {
            encoder
                .encode_frame(Frame::new(RgbaImage::new(4, 4)))
                .unwrap();
        }
        drop(encoder);
        assert_eq!(count_frames(ImageKind::Gif, &gif), 3);
        let webp = b"RIFF\0\0\0\0WEBPVP8X\x01\0\0\0a\0ANMF\x02\0\0\0abANMF\0\0\0\0";
        assert_eq!(count_frames(ImageKind::WebP, webp), 2);
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x01tEXta....\0\0\0\x08acTL\0\0\0\x05\0\0\0\0";
        assert_eq!(count_frames(ImageKind::Png, png), 5);
    }

    proptest! {
        #[test]
        fn any_bytes_are_counted(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            for (kind, head) in [
                (ImageKind::Gif, &b"GIF89a"[..]),
                (ImageKind::WebP, b"RIFF\0\0\0\0WEBP"),
                (ImageKind::Png, b"\x89PNG\r\n\x1a\n"),
            ] {
                prop_assert!(count_frames(kind, &[head, &bytes].concat()) >= 1);
            }
        }
    }
}
